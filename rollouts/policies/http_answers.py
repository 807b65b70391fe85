"""What an OpenAI-compatible server answers: the text, and its tokens where it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from rollouts.policies.protocol import PolicyAnswer
from rollouts.policies.tool_calls import write_answer


def read_answer(response: httpx.Response) -> PolicyAnswer | None:
    """Return the first choice of a completion; None where there is none to be read."""
    try:
        choice = response.json()["choices"][0]
        text = _text_of(choice) or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None
    if not isinstance(text, str):
        return None
    scores = _log_probabilities(choice)
    if not scores:
        return PolicyAnswer(text)
    ids = _token_ids(choice)
    known = len(ids) == len(scores)
    return PolicyAnswer(
        text,
        log_probability=sum(scores),
        token_count=len(scores),
        token_ids=ids if known else (),
        token_log_probabilities=scores if known else (),
    )


def _text_of(choice: Mapping[str, Any]) -> object:
    if "message" in choice:
        return write_answer(choice["message"])
    return choice["text"]


def _log_probabilities(choice: Mapping[str, Any]) -> tuple[float, ...]:
    """Of each token: chat completions list objects, completions list numbers."""
    told = choice.get("logprobs") or {}
    try:
        if "content" in told:
            return tuple(float(token["logprob"]) for token in told["content"])
        return tuple(float(score) for score in told["token_logprobs"])
    except (KeyError, TypeError, ValueError):
        return ()


def _token_ids(choice: Mapping[str, Any]) -> tuple[int, ...]:
    """What vLLM tells when it is asked to."""
    told = choice.get("token_ids")
    if not isinstance(told, list) or not all(type(token) is int for token in told):
        return ()
    return tuple(told)
