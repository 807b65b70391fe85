"""How test episodes end: solved, or what went wrong; stacked, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from rollouts.models import Trajectory
from rollouts.selectors.chart_rows import BROKEN, SOLVED, EndingRow
from webrl_site.charts.chart import (
    Chart,
    MomentNames,
    episodes_url,
    say_repeats,
    share_row,
    stacked_chart,
)
from webrl_site.statistics import wilson

NAMES = {
    SOLVED: gettext_lazy("Solved"),
    "exit": gettext_lazy("The agent stopped, wrongly"),
    "page": gettext_lazy("The page ended it, unsolved"),
    "step_limit": gettext_lazy("Step limit"),
    "time_limit": gettext_lazy("Time limit"),
    "repeated": gettext_lazy("Same action again and again"),
    "invalid": gettext_lazy("Too many invalid actions"),
    "left": gettext_lazy("Left unfinished"),
    BROKEN: gettext_lazy("The site or the browser broke"),
}
Moment = tuple[str, int, str]


def endings(rows: Sequence[EndingRow]) -> Chart:
    """Every ending's share of all test episodes of a phase."""
    totals: dict[Moment, int] = {}
    for row in rows:
        totals[_moment(row)] = totals.get(_moment(row), 0) + row.n
    several = len({row.phase.run_id for row in rows}) > 1
    labels = _label(rows, several)
    marks = [
        share_row(
            str(NAMES[ending]),
            labels[_moment(row)],
            wilson(row.n, totals[_moment(row)], tasks=row.tasks),
            episodes_url(**_filters(row)),
        )
        for ending in NAMES
        for row in rows
        if row.ending == ending
    ]
    text = gettext(
        "All test episodes, by how they ended. Failures of the site or the "
        "browser say nothing about the agent and count in no success rate."
    )
    is_repeated = any(row.tasks < totals[_moment(row)] for row in rows)
    text = say_repeats(text, is_repeated)
    title, unit = gettext("How episodes end"), gettext("episodes, %")
    return stacked_chart("endings", title, text, marks, unit, [*labels.values()])


def _moment(row: EndingRow) -> Moment:
    return row.phase.run_name, row.phase.phase_id, row.purpose


def _label(rows: Sequence[EndingRow], several: bool) -> dict[Moment, str]:
    """Return what each moment is called, in the order of the rows."""
    names, labels = MomentNames(), {}
    for row in rows:
        at = names[row.purpose, row.phase.phase_number]
        labels[_moment(row)] = f"{row.phase.run_name}, {at.lower()}" if several else at
    return labels


def _filters(row: EndingRow) -> dict[str, Any]:
    filters: dict[str, Any] = {"phase": row.phase.phase_id, "purpose": row.purpose}
    if row.ending == BROKEN:
        return {**filters, "status": Trajectory.Status.FAILED}
    if row.ending == SOLVED:
        return {**filters, "outcome": "yes"}
    return {**filters, "outcome": "no", "ended_by": row.ending}
