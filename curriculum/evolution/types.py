"""Plain values that the generator, the filters and the record exchange."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable


@dataclasses.dataclass(frozen=True, slots=True)
class SeedTask:
    """A failed task from which new ones evolve."""

    task_id: int
    site: str
    instruction: str
    start_url: str
    template_key: str
    spec: dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class ProposedTask:
    """A generated instruction, untrusted until it has been filtered and reviewed.

    Attributes:
        parent_id: The failed task from which it evolved.
        spec: Task object in WebArena's JSON format; `eval` may be empty when the
            generator cannot say how to check the outcome.
    """

    parent_id: int
    site: str
    instruction: str
    start_url: str
    template_key: str
    spec: dict[str, Any]
    optimal_steps: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether the site can satisfy an instruction, and why."""

    is_feasible: bool
    reason: str


class TaskGenerator(Protocol):
    """In-breadth evolving (paper, section 3.2): failed tasks in, new tasks out."""

    def propose(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> list[ProposedTask]:
        """Return at most `count` new tasks, the same ones for the same arguments."""
        ...

    def judge_feasibility(self, task: ProposedTask) -> Feasibility:
        """Say whether the task can be done on its site."""
        ...


@runtime_checkable
class ProposesInParts(Protocol):
    """A generator whose tasks come one answer at a time; each is stored at once."""

    def propose_in_parts(
        self, seeds: Sequence[SeedTask], *, count: int, seed: int
    ) -> Iterator[list[ProposedTask]]:
        """Yield at most `count` new tasks in all."""
        ...


@runtime_checkable
class JudgesByExamples(Protocol):
    """A generator whose judge has to see tasks that are possible."""

    def show_examples(self, seeds: Sequence[SeedTask]) -> None:
        """Remember these; called before the first verdict."""
        ...


class TaskReader(Protocol):
    """Makes a task from an instruction."""

    def __call__(self, sites: Sequence[str], instruction: str) -> dict[str, Any] | None:
        """Return the task object in WebArena's JSON format; None where that fails."""
        ...


@runtime_checkable
class Closable(Protocol):
    """A generator that holds resources, such as a connection or weights."""

    def close(self) -> None:
        """Free its resources."""
        ...


def digest_task(instruction: str, start_url: str) -> str:
    """SHA-256 of the instruction, case and spacing ignored, and the start address."""
    text = " ".join(instruction.lower().split()) + "\n" + start_url
    return hashlib.sha256(text.encode()).hexdigest()
