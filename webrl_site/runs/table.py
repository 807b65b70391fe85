"""The list of runs as a leaderboard: success of the newest measured phase, and when."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import defaultdict
from collections.abc import Sequence

from django.db.models import QuerySet

from curriculum.models import Phase, Run
from curriculum.paging import PAGE_SIZE, Page
from curriculum.selectors.pages import map_last_moves
from rollouts.models import Trajectory
from rollouts.selectors.measured import MeasuredPhase, list_measured_phases
from rollouts.selectors.pages import MEASURING, count_by_purpose
from webrl_site.runs.measurements import Counts, Measurement, find_starts, measure

Purpose = Trajectory.Purpose
SORTS = ("success", "date")
EARLIEST = dt.datetime.min.replace(tzinfo=dt.UTC)


@dataclasses.dataclass(frozen=True, slots=True)
class RunRow:
    """A run, success before and after its newest measured phase, and its last event."""

    run: Run
    before: Measurement | None
    after: Measurement | None
    moved_at: dt.datetime | None

    @property
    def rate(self) -> float:
        """The rate to sort by; runs without a result come last."""
        rate = self.after.proportion.rate if self.after else None
        return -1.0 if rate is None else rate


def describe_rows(runs: Sequence[Run]) -> list[RunRow]:
    """Return the runs' rows in their order; always three queries."""
    ids = [run.pk for run in runs]
    measured: dict[int, list[MeasuredPhase]] = defaultdict(list)
    for one in list_measured_phases(ids):
        measured[one.phase.run_id].append(one)
    shown = {pk: _choose(phases) for pk, phases in measured.items()}
    wanted = [phase.pk for chosen in shown.values() for phase in chosen]
    counts = count_by_purpose(wanted, MEASURING)
    moves = map_last_moves(ids)
    return [
        RunRow(run, *_compare(shown.get(run.pk, ()), counts), moves.get(run.pk))
        for run in runs
    ]


def _choose(measured: Sequence[MeasuredPhase]) -> list[Phase]:
    """Return the newest phase with a result, after those that measured its start.

    Without a result it is the newest that has measured its start.
    """
    results = [one.phase for one in measured if one.has_result]
    newest = results[-1] if results else measured[-1].phase
    uri = newest.policy_uri
    before = [one.phase for one in measured if one.phase.number < newest.number]
    same = [one for one in before if uri in (one.policy_uri, one.next_policy_uri)]
    return [*same, newest]


def _compare(
    phases: Sequence[Phase], counts: Counts
) -> tuple[Measurement | None, Measurement | None]:
    if not phases:
        return None, None
    newest = phases[-1]
    after = measure(newest, Purpose.EVALUATE, counts)
    return find_starts(phases, counts).get(newest.pk), after


def read_sorted(runs: QuerySet[Run], sort: str) -> tuple[Page[Run], list[RunRow]]:
    """Return the first fifty runs by descending success or newest event."""
    rows = describe_rows(list(runs))
    if sort == "success":
        rows.sort(key=lambda row: row.rate, reverse=True)
    else:
        rows.sort(key=lambda row: row.moved_at or EARLIEST, reverse=True)
    first = rows[:PAGE_SIZE]
    return Page([row.run for row in first], len(rows), None, is_first=True), first
