"""Reads an OpenAI-compatible server's answer: the text, and its tokens if given."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from rollouts.policies.protocol import PolicyAnswer
from rollouts.policies.tool_calls import write_answer

ID_PREFIX = "token_id:"
# A larger count for one answer is taken for an error of the server.
MAX_TOKENS = 10_000_000
# What an answer of another form raises; the last for JSON that is nested too deeply.
UNREADABLE = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError),
    RecursionError,
)


def read_answer(response: httpx.Response) -> PolicyAnswer | None:
    """Return the first choice of a completion; None where it cannot be read."""
    try:
        told = response.json()
        choice = told["choices"][0]
        text = _text_of(choice) or ""
    except UNREADABLE:
        return None
    if not isinstance(text, str):
        return None
    usage = told.get("usage")
    prompt_tokens = read_count(usage, "prompt_tokens")
    scores = _log_probabilities(choice)
    if not scores:
        answer_tokens = read_count(usage, "completion_tokens")
        return PolicyAnswer(
            text, token_count=answer_tokens, prompt_token_count=prompt_tokens
        )
    ids = _token_ids(choice)
    known = len(ids) == len(scores)
    return PolicyAnswer(
        text,
        log_probability=sum(scores),
        token_count=len(scores),
        token_ids=ids if known else (),
        token_log_probabilities=scores if known else (),
        prompt_token_count=prompt_tokens,
    )


def read_count(told: object, name: str) -> int | None:
    """Return the number of tokens that a server has billed; None if invalid."""
    count = told.get(name) if isinstance(told, Mapping) else None
    return count if type(count) is int and 0 <= count <= MAX_TOKENS else None


def _text_of(choice: Mapping[str, Any]) -> object:
    if "message" in choice:
        return write_answer(choice["message"])
    return choice["text"]


def are_finite(scores: Sequence[float]) -> bool:
    """Whether a database can store these: Python's JSON also has NaN and Infinity."""
    return all(map(math.isfinite, scores))


def _log_probabilities(choice: Mapping[str, Any]) -> tuple[float, ...]:
    """Read each token's log-probability: objects in chat completions, else numbers."""
    told = choice.get("logprobs") or {}
    try:
        if "content" in told:
            scores = tuple(float(token["logprob"]) for token in told["content"])
        else:
            scores = tuple(float(score) for score in told["token_logprobs"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return ()
    return scores if are_finite(scores) else ()


def _token_ids(choice: Mapping[str, Any]) -> tuple[int, ...]:
    """Read vLLM's token ids: a list, or, before 0.10.2, ids in place of the tokens."""
    told = choice.get("token_ids")
    if told is None:
        told = [_read_id(token) for token in _token_texts(choice["logprobs"])]
    if not isinstance(told, list) or not all(type(token) is int for token in told):
        return ()
    return tuple(told)


def _token_texts(told: Mapping[str, Any]) -> list[object]:
    if "content" in told:
        return [token.get("token") for token in told["content"]]
    tokens = told.get("tokens")
    return tokens if isinstance(tokens, list) else []


def _read_id(text: object) -> int | None:
    """Read `token_id:123`."""
    number = str(text).removeprefix(ID_PREFIX)
    is_id = str(text).startswith(ID_PREFIX) and number.isascii() and number.isdigit()
    return int(number) if is_id and len(number) < 10 else None
