"""Rows of the charts: outcomes by properties of tasks, endings, calibration."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from curriculum.models import Phase

SOLVED = "solved"
BROKEN = "broken"
CALIBRATION_BINS = 10
# Smallest and largest value of each group; None means no limit.
STEP_GROUPS = ((1, 3), (4, 5), (6, 8), (9, None))
WORD_GROUPS = ((1, 8), (9, 14), (15, 20), (21, None))
Bounds = tuple[int, int | None]


@dataclasses.dataclass(frozen=True, slots=True)
class PhaseKey:
    """A phase and its run, as charts name them."""

    run_id: int
    run_name: str
    phase_id: int
    phase_number: int

    def parts(self) -> tuple[int, str, int, int]:
        """Return the four columns with which rows begin, in order."""
        return self.run_id, self.run_name, self.phase_id, self.phase_number


@dataclasses.dataclass(frozen=True, slots=True)
class GroupRow:
    """Judged test episodes of one phase and purpose within one group of tasks.

    `tasks` is how many of the group's tasks they are of.
    """

    phase: PhaseKey
    purpose: str
    bounds: Bounds
    n: int
    successes: int
    tasks: int


@dataclasses.dataclass(frozen=True, slots=True)
class EndingRow:
    """Test episodes of one phase that ended in one way.

    `ending` is `SOLVED`, `BROKEN` (by the site or the browser), or the `ended_by`
    of those that solved nothing. `tasks` is how many tasks all test episodes of the
    phase and purpose are of, however they ended.
    """

    phase: PhaseKey
    purpose: str
    ending: str
    n: int
    tasks: int


@dataclasses.dataclass(frozen=True, slots=True)
class ErrorTypeRow:
    """Failed test episodes of one phase and purpose that have one error type.

    `tasks` is how many tasks those of every error type are of.
    """

    phase: PhaseKey
    purpose: str
    error_type: str
    n: int
    tasks: int


@dataclasses.dataclass(frozen=True, slots=True)
class CalibrationRow:
    """Judged episodes of a run whose P(YES) is in one of ten equal bins.

    Attributes:
        place: 0 to 9; bin k runs from k / 10 to (k + 1) / 10.
        mean: Mean P(YES).
        n: Episodes; successes: those that the evaluators call a success.
        tasks: How many tasks they are of.
    """

    run_id: int
    run_name: str
    place: int
    mean: float
    n: int
    successes: int
    tasks: int


@dataclasses.dataclass(frozen=True, slots=True)
class VerdictRow:
    """The reward model compared with the evaluators in one phase.

    Attributes:
        tasks: How many tasks the episodes are of; yes_tasks: those of which it calls
            an episode a success; solved_tasks: those of which an episode is one.
    """

    run_id: int
    run_name: str
    phase_id: int
    phase_number: int
    true_yes: int
    false_yes: int
    true_no: int
    false_no: int
    tasks: int
    yes_tasks: int
    solved_tasks: int


def list_phase_keys(run_ids: Collection[int]) -> list[PhaseKey]:
    """All phases of the runs, by run and number."""
    phases = Phase.objects.filter(run_id__in=run_ids).order_by("run_id", "number")
    return [
        PhaseKey(*row)
        for row in phases.values_list("run_id", "run__name", "pk", "number")
    ]
