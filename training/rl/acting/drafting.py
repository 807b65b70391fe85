"""Guesses at the next tokens of an answer, which one forward pass then checks.

Answers repeat parts of the prompt (an element's label) and of earlier answers
(`do(action="Click", element="`). So the next tokens are looked up: after the same
three tokens in an earlier answer, else after the same two in the prompt, else after the
same two or one in an earlier answer. A wrong guess costs time, never correctness: see
`sampling`. The idea is prompt lookup decoding, with the policy's own answers as a
second source.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

Tokens = tuple[int, ...]
# The most recently seen; each is a few tokens long.
MAX_REMEMBERED = 20_000
# Tokens that a guess is looked up by: in earlier answers, and in the prompt.
MAX_KEY = 3
PROMPT_KEY = 2


class AnswerMemory:
    """Which token followed which in the answers so far."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._next: OrderedDict[Tokens, int] = OrderedDict()

    def learn(self, answer: Sequence[int]) -> None:
        """Remember an answer's tokens; the newest counts."""
        for end in range(1, len(answer)):
            for size in range(1, min(MAX_KEY, end) + 1):
                key = tuple(answer[end - size : end])
                self._next[key] = answer[end]
                # The newest at the end: what was seen longest ago is forgotten first.
                self._next.move_to_end(key)
        while len(self._next) > MAX_REMEMBERED:
            self._next.popitem(last=False)

    def following(self, key: Tokens) -> int | None:
        """Return the token after `key`, if it was ever seen."""
        return self._next.get(key)


def index_prompt(prompt: Sequence[int]) -> dict[Tokens, int]:
    """Return the token after each pair of tokens, at the pair's last occurrence."""
    return {
        (prompt[place - 1], prompt[place]): prompt[place + 1]
        for place in range(1, len(prompt) - 1)
    }


def draft(
    memory: AnswerMemory,
    prompt: Mapping[Tokens, int],
    answer: Sequence[int],
    *,
    limit: int,
    ends: frozenset[int],
) -> list[int]:
    """Return at most `limit` tokens that may follow `answer`; an end of turn is last.

    Args:
        memory: Earlier answers.
        prompt: This answer's prompt, from `index_prompt`.
        answer: Its tokens so far, at least one.
        limit: No more tokens than this.
        ends: The tokens that end an answer.
    """
    context = list(answer[-MAX_KEY:])
    found: list[int] = []
    # A guess builds on the guesses before it: nothing after a wrong token is accepted.
    while len(found) < limit and ends.isdisjoint(found[-1:]):
        token = _next_token(memory, prompt, tuple(context))
        if token is None:
            break
        found.append(token)
        context = [*context, token][-MAX_KEY:]
    return found


def _next_token(
    memory: AnswerMemory, prompt: Mapping[Tokens, int], context: Tokens
) -> int | None:
    # Three tokens of an earlier answer predict best: the same call, the same argument.
    if len(context) == MAX_KEY:
        token = memory.following(context)
        if token is not None:
            return token
    # The prompt before short keys: it holds this episode's labels and ids.
    token = prompt.get(context[-PROMPT_KEY:])
    if token is not None:
        return token
    if len(context) >= PROMPT_KEY:
        token = memory.following(context[-PROMPT_KEY:])
    return memory.following(context[-1:]) if token is None else token
