"""WebArena-Verified's tasks: what they need of an episode, and who scores them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from rollouts.browser.types import CheckResult

NAME = "webarena_verified"
NETWORK = "NetworkEventEvaluator"
ANSWER_FORMAT = (
    'Answer with one JSON object: {"task_type": "RETRIEVE", "MUTATE" or "NAVIGATE", '
    '"status": "SUCCESS", "NOT_FOUND_ERROR", "ACTION_NOT_ALLOWED_ERROR", '
    '"PERMISSION_DENIED_ERROR", "DATA_VALIDATION_ERROR" or "UNKNOWN_ERROR", '
    '"retrieved_data": a list when the type is RETRIEVE, else null, '
    '"error_details": null, or why it was not a success}.'
)


class PackageFailed(Exception):
    """The package gave no result; the message says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class VerifiedCase:
    """The package's input.

    Attributes:
        task: The task object as published, with placeholders for addresses.
        answer: The agent's, None where it gave none.
        origins: Where the episode's sites were, by key.
        requests: HAR file of the episode; None where nothing was recorded.
    """

    task: Mapping[str, Any]
    answer: str | None
    origins: Mapping[str, str]
    requests: Path | None


class VerifiedScorer(Protocol):
    """The interface of what runs the package."""

    async def score(self, case: VerifiedCase) -> list[CheckResult]:
        """Return one check for each evaluator of the task, in their order.

        Without recorded requests only the answer's evaluators are run.

        Raises:
            PackageFailed: It could not be started, took too long, or stopped.
        """
        ...


def published_task(spec: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the task as published; None for other tasks."""
    rules = spec.get("eval")
    task = rules.get("published") if isinstance(rules, Mapping) else None
    return task if isinstance(task, Mapping) else None


def wants_requests(spec: Mapping[str, Any]) -> bool:
    """Whether an episode's requests have to be recorded to score it."""
    task = published_task(spec)
    return task is not None and NETWORK in list_evaluators(task)


def tell_format(instruction: str, spec: Mapping[str, Any]) -> str:
    """Return the instruction with the answer's format, which these tasks leave out."""
    if published_task(spec) is None:
        return instruction
    return f"{instruction} {ANSWER_FORMAT}"


def list_evaluators(task: Mapping[str, Any]) -> list[str]:
    """Return the names of a published task's evaluators, in their order."""
    rules = task.get("eval")
    if not isinstance(rules, list):
        return []
    return [str(one.get("evaluator")) for one in rules if isinstance(one, Mapping)]
