"""Text to token ids: the prompt of a step, its action, and the ORM's question.

The page is cut by tokens so that the prompt fits; the instruction and the history are
never cut, an action only beyond `max_action_tokens`. Prompts as a conversation require
a tokenizer with a chat template; those of the released models work with any tokenizer.
The paper gives the longest sequence (table 6) but not what is cut; here it is the
page's end, after the released code has cut by characters (`PROMPT_LIMIT`).
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from jinja2 import TemplateError

from curriculum.rules.control_tokens import without_controls
from rollouts.policies.prompts import Message, build_messages, take_turns
from rollouts.policies.published_prompts import (
    END_OF_TURN,
    PROMPT_LIMIT,
    completion_prompt,
)
from rollouts.policies.trained_prompts import PLAIN, TrainedPrompt
from rollouts.policies.verdict_prompts import VerdictName, verdict_prompt

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# Replaces the page while the chat template is rendered; no page can contain it
# because `clean` removes the private-use character from every text.
PAGE_MARK = "\ue000"
# The date that Llama 3.1's template has for whom it is not told.
TEMPLATE_DATE = "26 Jul 2024"
CLOCK = "strftime_now"
# Decoding what is left of a text may join other characters into a control token.
MAX_CLEANING_ROUNDS = 4
VERDICT_QUESTION = (
    "Did the agent satisfy the instruction? Answer YES or NO for the actions\n"
)


class PromptTooLong(ValueError):
    """The prompt leaves no room for a page even before the page is added."""


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """One prompt with its answer.

    Attributes:
        ids: Token ids of the prompt, then of the answer; (L,).
        prompt_length: How many of them belong to the prompt.
    """

    ids: tuple[int, ...]
    prompt_length: int

    @property
    def prompt(self) -> Example:
        """The prompt alone, which is the critic's state."""
        return Example(self.ids[: self.prompt_length], self.prompt_length)


class Encoder:
    """Turns steps and trajectories into token ids with one tokenizer."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        max_prompt_tokens: int,
        max_action_tokens: int,
        prompt: TrainedPrompt = PLAIN,
        verdict: VerdictName = "workbench",
    ) -> None:
        """Bind a tokenizer, the two limits in tokens, and how prompts are written."""
        self.tokenizer = tokenizer
        self.prompt, self.verdict = prompt, verdict
        self.max_prompt_tokens = max_prompt_tokens
        self.max_action_tokens = max_action_tokens
        added = tokenizer.added_tokens_decoder
        self._vocabulary_size = len(tokenizer)
        self._numbers: dict[int, int] = {}
        # Added tokens with visible text; an added space controls nothing.
        self._control_ids = frozenset(tokenizer.all_special_ids) | {
            number for number, token in added.items() if token.content.strip()
        }
        backend = getattr(tokenizer, "backend_tokenizer", None)
        self._normalises = getattr(backend, "normalizer", True) is not None
        self._controls = _match_any(
            {
                *tokenizer.all_special_tokens,
                *(token.content for token in added.values()),
            }
        )

    def encode_prompt(
        self,
        instruction: str,
        history: Sequence[str],
        errors: Sequence[str],
        observation: str,
    ) -> list[int]:
        """Return the token ids of one step's prompt, at most `max_prompt_tokens`.

        Raises:
            PromptTooLong: Instruction and history leave no room for a page.
        """
        if self.prompt.name == "webrl":
            return self._encode_published(instruction, history, observation)
        messages = build_messages(
            self.clean(instruction),
            [self.clean(output) for output in history],
            [self.clean(error) for error in errors],
            PAGE_MARK,
            old_page=self.prompt.old_page,
        )
        return self._fit(messages, observation)

    def encode_text(self, text: str) -> list[int]:
        """Return the token ids of a whole prompt; control tokens in it keep their role.

        The released code reads prompts so, including the mark of a text's beginning.
        """
        return self._share(self.tokenizer(text)["input_ids"])

    def _encode_published(
        self, instruction: str, history: Sequence[str], page: str
    ) -> list[int]:
        """Return the prompt that the released models continue; it shows no errors."""
        told, shown, *outputs = self._clean_all(instruction, page, *history)
        # As a whole: a token may span the page's end and the mark after it.
        return self._fit_whole(
            lambda cut: self.encode_text(completion_prompt(told, outputs, cut)),
            # More is never shown.
            shown[:PROMPT_LIMIT] if len(shown) > PROMPT_LIMIT else shown,
        )

    def _clean_all(self, *texts: str) -> list[str]:
        """Return texts without control tokens, also those of published prompts."""
        # The latter are plain text to a tokenizer that does not know them.
        return [without_controls(self.clean(text)) for text in texts]

    def _fit_whole(self, write: Callable[[str], list[int]], page: str) -> list[int]:
        """Return a prompt encoded as a whole, with as much of the page as fits."""

        def encode(length: int) -> list[int]:
            return write(page[:length])

        ids = encode(len(page))
        if len(ids) <= self.max_prompt_tokens:
            return ids
        fits, exceeds = 0, len(page)
        self._check_room(len(encode(fits)))
        while exceeds - fits > 1:
            middle = (fits + exceeds) // 2
            is_short = len(encode(middle)) <= self.max_prompt_tokens
            fits, exceeds = (middle, exceeds) if is_short else (fits, middle)
        return encode(fits)

    def encode_action(self, output: str) -> list[int]:
        """Return the token ids of an answer, ended by the end-of-turn token."""
        *ids, end = self.encode_answer(output)
        # One token less: the end of the turn is part of the action and always trained.
        return [*ids[: self.max_action_tokens - 1], end]

    def encode_answer(self, output: str) -> list[int]:
        """Return the same as `encode_action`, without a limit."""
        return [*self._ids(self.clean(output)), self.end_id]

    def takes_whole(self, output: str, token_ids: Sequence[int] = ()) -> bool:
        """Say whether `encode_step` cuts nothing off an answer."""
        is_short = len(self.encode_answer(output)) <= self.max_action_tokens
        return is_short or self._takes_sampled(token_ids, output)

    @functools.cached_property
    def end_id(self) -> int:
        """The token that ends an answer."""
        known = self.tokenizer.get_vocab()
        if self.prompt.name == "webrl" and END_OF_TURN in known:
            # Llama's base model ends a text with another token.
            return int(known[END_OF_TURN])
        return int(self.tokenizer.eos_token_id)

    def encode_step(
        self,
        instruction: str,
        history: Sequence[str],
        errors: Sequence[str],
        observation: str,
        output: str,
        token_ids: Sequence[int] = (),
    ) -> Example:
        """Return prompt and action of one step as one sequence.

        The action is the sampled tokens, if they are known, fit and spell `output` with
        this tokenizer; else the text is encoded again.
        """
        prompt = self.encode_prompt(instruction, history, errors, observation)
        # BPE is not unique: encoding the text again can give tokens that were not
        # sampled, with another log-probability.
        is_known = self._takes_sampled(token_ids, output)
        action = token_ids if is_known else self.encode_action(output)
        # ids = prompt, then action; (P + A,).
        return Example((*prompt, *action), len(prompt))

    def _takes_sampled(self, ids: Sequence[int], output: str) -> bool:
        """Return whether these are tokens of this tokenizer, fit and spell `output`."""
        # Never a part of them: cut, they may spell the text and lack their end.
        fits = len(ids) <= self.max_action_tokens
        return fits and self.knows(ids) and self.decode_action(ids) == output

    def knows(self, ids: Sequence[int]) -> bool:
        """Return whether there are ids, and all are in this tokenizer's vocabulary."""
        # Ids from files may be of another tokenizer, or out of the embedding's range.
        return bool(ids) and all(0 <= token < self._vocabulary_size for token in ids)

    def encode_verdict(
        self, instruction: str, history: Sequence[str], final_observation: str
    ) -> list[int]:
        """Return the ORM's prompt: instruction, every action, the last page only.

        If all actions leave no room for a page, the older half of them is left out,
        then the older half of the rest, until there is room.

        Raises:
            PromptTooLong: The instruction alone leaves none.
        """
        while True:
            try:
                return self._encode_verdict(instruction, history, final_observation)
            except PromptTooLong:
                if not history:
                    raise
                history = history[(len(history) + 1) // 2 :]

    def _encode_verdict(
        self, instruction: str, history: Sequence[str], final_observation: str
    ) -> list[int]:
        if self.verdict == "webrl":
            told, page, *outputs = self._clean_all(
                instruction, final_observation, *history
            )
            # The text has its own mark of the beginning.
            return self._fit_whole(
                lambda cut: self._ids(verdict_prompt(told, outputs, cut)), page
            )
        # Only the last page: a whole episode exceeds the context (section 3.2).
        actions = "\n".join(self.clean(output) for output in history)
        messages = [
            {"role": "user", "content": f"Task Instruction: {self.clean(instruction)}"},
            {"role": "assistant", "content": actions},
            {"role": "user", "content": VERDICT_QUESTION + PAGE_MARK},
        ]
        return self._fit(messages, final_observation)

    def decode_action(self, ids: Sequence[int]) -> str:
        """Return the text of generated ids, without the end-of-turn token."""
        # Control tokens that a policy wrote are dropped: actions are plain text.
        text = self.tokenizer.decode(list(ids), skip_special_tokens=True)
        return str(text).strip()

    def clean(self, text: str) -> str:
        """Return the text without anything that would be read as a control token.

        Every token that was added to the vocabulary counts, such as a chat template's
        headers, whether or not the tokenizer calls it special, and so does text that
        only the tokenizer's normalisation turns into one.
        """
        text = self._strip(text)
        if not self._normalises:
            return text
        for _ in range(MAX_CLEANING_ROUNDS):
            ids = self._ids(text)
            if self._control_ids.isdisjoint(ids):
                return text
            text = self._strip(self.tokenizer.decode(self._ordinary(ids)))
        return ""

    def _strip(self, text: str) -> str:
        return self._controls.sub(" ", text.replace(PAGE_MARK, ""))

    def _ordinary(self, ids: Sequence[int]) -> list[int]:
        return [token for token in ids if token not in self._control_ids]

    @functools.cached_property
    def takes_turns(self) -> bool:
        """Return whether the chat template refuses two user turns in a row."""
        said: Message = {"role": "user", "content": "x"}
        try:
            self._render([said, said])
        except TemplateError:
            return True
        return False

    @functools.cached_property
    def _template(self) -> str:
        """The chat template, with one date where it asks for today's.

        Training writes a prompt again that was read while acting, on another day.
        """
        template = str(self.tokenizer.get_chat_template())
        if CLOCK not in template:
            return template
        fixed = f"{{%- macro {CLOCK}(form) -%}}{TEMPLATE_DATE}{{%- endmacro -%}}"
        return fixed + template

    def _render(self, messages: list[Message]) -> str:
        text = self.tokenizer.apply_chat_template(
            messages,
            tokenize=False,
            add_generation_prompt=True,
            chat_template=self._template,
            date_string=TEMPLATE_DATE,
        )
        return str(text)

    def _fit(self, messages: list[Message], page: str) -> list[int]:
        text = self._render(take_turns(messages) if self.takes_turns else messages)
        # Tokenised in three parts, so that no token spans the page's border and only
        # the page is cut.
        before, after = text.split(PAGE_MARK)
        head, tail = self._ids(before), self._ids(after)
        self._check_room(len(head) + len(tail) + 1)
        room = self.max_prompt_tokens - len(head) - len(tail)
        return [*head, *self._page_ids(page)[:room], *tail]

    def _check_room(self, least: int) -> None:
        """Refuse a prompt that is too long even with the shortest page."""
        if least > self.max_prompt_tokens:
            raise PromptTooLong(
                f"The prompt takes {least} tokens without its page; "
                f"max_prompt_tokens is {self.max_prompt_tokens}. Raise it."
            )

    def _page_ids(self, page: str) -> list[int]:
        """Return the page's ids without control tokens that normalisation made."""
        return self._ordinary(self._ids(self._strip(page)))

    def _ids(self, text: str) -> list[int]:
        return self._share(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _share(self, ids: Sequence[int]) -> list[int]:
        """Return the same ids as objects that all prompts share."""
        # A number of its own takes 32 bytes, a reference to it 8: a training keeps the
        # ids of all its steps.
        share = self._numbers.setdefault
        return [share(number, number) for number in ids]


def _match_any(words: Collection[str]) -> re.Pattern[str]:
    """Return a pattern of all words, the longest first, except runs of spaces."""
    visible = sorted((word for word in words if word.strip()), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, visible)) or r"(?!)")
