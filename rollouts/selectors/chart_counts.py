"""Reads test episodes once and counts them for all charts.

The phases are listed by id: only then does every database read the index alone. Charts
group by properties of tasks, and a few tasks have many test episodes, so tasks are read
separately: joining and grouping 9,000 episodes in SQL, once per chart, took four times
as long as counting them here.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from django.db.models import Q

from curriculum.models import Task
from rollouts.models import Trajectory
from rollouts.selectors.chart_rows import (
    BROKEN,
    SOLVED,
    STEP_GROUPS,
    WORD_GROUPS,
    Bounds,
    EndingRow,
    ErrorTypeRow,
    GroupRow,
    PhaseKey,
)
from rollouts.selectors.pages import MEASURING, OutcomeRow, count_words

BASELINE = Trajectory.Purpose.BASELINE
ENDED = (Trajectory.Status.FINISHED, Trajectory.Status.FAILED)
# Phase id, purpose, task id, status, outcome, how it ended.
Episode = tuple[int, str, int, str, bool | None, str]
Group = TypeVar("Group", bound="Bounds | tuple[str, str]")


@dataclasses.dataclass(frozen=True, slots=True)
class MeasuredTask:
    """A task's groups in the charts; `bounds` are None where it is in none."""

    site: tuple[str, str]
    steps: Bounds | None
    words: Bounds | None


@dataclasses.dataclass(frozen=True, slots=True)
class MeasuredEpisodes:
    """Judged and broken test episodes of the phases, which are in order."""

    phases: list[PhaseKey]
    tasks: dict[int, MeasuredTask]
    episodes: list[Episode]

    def by_site(self) -> list[OutcomeRow]:
        """Outcomes by phase, purpose and site."""
        sites = {pk: task.site for pk, task in self.tasks.items()}
        return [
            OutcomeRow(*phase.parts(), purpose, *site, *counts)
            for phase, purpose, site, *counts in self._count_judged(sites)
        ]

    def at_ends(self) -> MeasuredEpisodes:
        """Return those before each run's first phase and those of its newest."""
        measured = {row[0] for row in self.episodes if row[4] is not None}
        newest = {
            phase.run_id: phase.phase_id
            for phase in self.phases
            if phase.phase_id in measured
        }
        shown = set(newest.values())
        episodes = [
            row for row in self.episodes if row[1] == BASELINE or row[0] in shown
        ]
        return dataclasses.replace(self, episodes=episodes)

    def by_steps(self) -> list[GroupRow]:
        """Outcomes by the optimal number of steps of a task."""
        groups = {pk: task.steps for pk, task in self.tasks.items()}
        return [GroupRow(*row) for row in self._count_judged(groups)]

    def by_words(self) -> list[GroupRow]:
        """Outcomes by the number of words of the instruction."""
        groups = {pk: task.words for pk, task in self.tasks.items()}
        return [GroupRow(*row) for row in self._count_judged(groups)]

    def endings(self) -> list[EndingRow]:
        """How the test episodes ended."""
        counts: Counter[tuple[int, str, str]] = Counter()
        tasks: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
        for phase_id, purpose, task_id, status, outcome, ended_by in self.episodes:
            if status in ENDED:
                ending = _name_ending(status, outcome, ended_by)
                counts[phase_id, purpose, ending] += 1
                tasks[phase_id, purpose].add(task_id)
        phases = {phase.phase_id: phase for phase in self.phases}
        rows = [
            EndingRow(
                phases[phase_id], purpose, ending, n, len(tasks[phase_id, purpose])
            )
            for (phase_id, purpose, ending), n in counts.items()
        ]
        place = {phase: number for number, phase in enumerate(self.phases)}
        return sorted(rows, key=lambda row: (place[row.phase], row.purpose, row.ending))

    def _count_judged(
        self, group_of: Mapping[int, Group | None]
    ) -> list[tuple[PhaseKey, str, Group, int, int, int]]:
        """Return (phase, purpose, group, n, successes, tasks) of groups of tasks."""
        counts: dict[tuple[int, str, Group], list[int]] = {}
        tasks: dict[tuple[int, str, Group], set[int]] = {}
        for phase_id, purpose, task_id, _, outcome, _ in self.episodes:
            group = group_of.get(task_id)
            if outcome is None or group is None:
                continue
            count = counts.setdefault((phase_id, purpose, group), [0, 0])
            count[0] += 1
            count[1] += outcome
            tasks.setdefault((phase_id, purpose, group), set()).add(task_id)
        place = {phase.phase_id: number for number, phase in enumerate(self.phases)}
        keys = sorted(counts, key=lambda key: (place[key[0]], *key[1:]))
        return [
            (self.phases[place[key[0]]], key[1], key[2], n, successes, len(tasks[key]))
            for key in keys
            for n, successes in (counts[key],)
        ]


def read_test_episodes(phases: Sequence[PhaseKey]) -> MeasuredEpisodes:
    """Read what the charts count of the phases, in two queries."""
    asked = Trajectory.objects.filter(
        Q(outcome__isnull=False) | Q(status=Trajectory.Status.FAILED),
        phase_id__in=[phase.phase_id for phase in phases],
        purpose__in=MEASURING,
    )
    fields = ("phase_id", "purpose", "task_id", "status", "outcome", "ended_by")
    episodes: list[Episode] = list(asked.order_by().values_list(*fields))
    return MeasuredEpisodes(
        list(phases), _read_tasks({row[2] for row in episodes}), episodes
    )


def count_error_types(phases: Sequence[PhaseKey]) -> list[ErrorTypeRow]:
    """Count failed test episodes by error type, phase by phase, in one query."""
    place = {phase.phase_id: number for number, phase in enumerate(phases)}
    rows = (
        Trajectory.objects.filter(phase_id__in=place, purpose__in=MEASURING)
        .exclude(error_type="")
        .order_by()
        .values_list("phase_id", "purpose", "error_type", "task_id")
    )
    counts: Counter[tuple[int, str, str]] = Counter()
    tasks: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for phase_id, purpose, error_type, task_id in rows:
        counts[phase_id, purpose, error_type] += 1
        tasks[phase_id, purpose].add(task_id)
    ordered = sorted(counts, key=lambda key: (place[key[0]], *key[1:]))
    return [
        ErrorTypeRow(phases[place[key[0]]], *key[1:], counts[key], len(tasks[key[:2]]))
        for key in ordered
    ]


def _read_tasks(task_ids: set[int]) -> dict[int, MeasuredTask]:
    rows = Task.objects.filter(pk__in=task_ids).values_list(
        "pk", "site__key", "site__name", "optimal_steps", count_words("instruction")
    )
    return {
        pk: MeasuredTask(
            (key, site), _fit(steps, STEP_GROUPS), _fit(words, WORD_GROUPS)
        )
        for pk, key, site, steps, words in rows
    }


def _fit(size: int | None, groups: Sequence[Bounds]) -> Bounds | None:
    """Return the group that contains a size; the groups are adjacent."""
    if size is None or size < groups[0][0]:
        return None
    return next((low, high) for low, high in groups if high is None or size <= high)


def _name_ending(status: str, outcome: bool | None, ended_by: str) -> str:
    if status == Trajectory.Status.FAILED:
        return BROKEN
    return SOLVED if outcome else ended_by
