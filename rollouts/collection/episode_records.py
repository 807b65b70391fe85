"""The collector's records of an episode, made from its parts."""

from __future__ import annotations

import dataclasses
import hashlib

from rollouts.browser.episode import StepInfo
from rollouts.browser.tidy_text import tidy
from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRequest,
    FailureClass,
    Observation,
    RefusedAttempt,
    StepRecord,
)
from rollouts.policies.protocol import PolicyAnswer


def derive_seed(seed: int, index: int) -> int:
    """Return the seed of one answer: 63 bits of SHA-256 over seed and step."""
    digest = hashlib.sha256(f"{seed}/{index}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def tidy_answer(answer: PolicyAnswer) -> PolicyAnswer:
    """Return the answer without what a database refuses: lone surrogates and NUL."""
    return dataclasses.replace(answer, output=tidy(answer.output))


def make_step(
    request: EpisodeRequest,
    index: int,
    observation: Observation,
    answer: PolicyAnswer,
    info: StepInfo,
    policy_ms: float,
) -> StepRecord:
    """Return the record of one finished exchange."""
    return StepRecord(
        trajectory_id=request.trajectory_id,
        attempt=request.attempt,
        index=index,
        observation=observation,
        output=answer.output,
        action=info["action"],
        error=info["error"],
        target_box=info["target_box"],
        timing=info["timing"] | {"policy": policy_ms},
        log_probability=answer.log_probability,
        token_count=answer.token_count,
        token_ids=answer.token_ids,
        token_log_probabilities=answer.token_log_probabilities,
        prompt_token_count=answer.prompt_token_count,
    )


def make_end(request: EpisodeRequest, final: Observation, info: StepInfo) -> EpisodeEnd:
    """Return how an episode ended; `info` is its last step's."""
    assert info["ended_by"] is not None  # noqa: S101 - for the type checker
    return EpisodeEnd(
        trajectory_id=request.trajectory_id,
        attempt=request.attempt,
        ended_by=info["ended_by"],
        answer=info["answer"],
        final=final,
        outcome=info["outcome"],
        checks=info["checks"],
        trace=info["trace"],
        refused=info["refused"],
    )


def make_failure(
    request: EpisodeRequest,
    failure_class: FailureClass,
    reason: str,
    site: str = "",
    trace: str = "",
    refused: tuple[RefusedAttempt, ...] = (),
    wait_s: float = 0.0,
) -> EpisodeFailure:
    """Return why an episode was broken, by which site, and when to try again."""
    return EpisodeFailure(
        request.trajectory_id,
        request.attempt,
        failure_class,
        reason,
        site,
        trace,
        refused,
        wait_s,
    )
