"""SGLang's own `/generate`: token ids in, token ids with their log-probabilities out.

SGLang's log-probabilities are those of the sampling distribution; at other temperatures
than 1, those at temperature 1 need SGLANG_RETURN_ORIGINAL_LOGPROB. Its sampling takes
no seed per request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from rollouts.policies.http_answers import UNREADABLE, are_finite, read_count
from rollouts.policies.protocol import PolicyAnswer


def generate_body(
    ids: Sequence[int],
    model: str,
    *,
    temperature: float,
    max_tokens: int,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the request; `model` names an adapter after a colon.

    `more` has further parameters of the sampling.
    """
    adapter = model.partition(":")[2]
    sampling = {"temperature": temperature, "max_new_tokens": max_tokens, **more}
    return {
        "input_ids": list(ids),
        "sampling_params": sampling,
        "return_logprob": True,
        **({"lora_path": adapter} if adapter else {}),
    }


def read_generated(response: httpx.Response) -> PolicyAnswer | None:
    """Return the answer with its tokens; None where it cannot be read."""
    try:
        told = response.json()
        text, meta = told["text"], told["meta_info"]
        pairs = meta["output_token_logprobs"]
        scores = tuple(float(pair[0]) for pair in pairs)
        ids = tuple(pair[1] for pair in pairs)
    except (*UNREADABLE, OverflowError):
        return None
    if not isinstance(text, str) or not all(type(one) is int for one in ids):
        return None
    if not are_finite(scores):
        return None
    return PolicyAnswer(
        text,
        log_probability=sum(scores),
        token_count=len(scores),
        token_ids=ids,
        token_log_probabilities=scores,
        prompt_token_count=read_count(meta, "prompt_tokens"),
    )
