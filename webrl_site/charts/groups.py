"""Success by a task's fewest steps and by its instruction's length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext

from rollouts.selectors.chart_rows import Bounds, GroupRow
from webrl_site.charts.chart import (
    Chart,
    MomentNames,
    Row,
    ledger_url,
    say_success,
    share_chart,
    share_row,
)
from webrl_site.statistics import wilson


def success_by_steps(rows: Sequence[GroupRow]) -> Chart:
    """The start and the newest phase of each run, by the fewest steps of a task."""
    return share_chart(
        "success-by-steps",
        gettext("Success by required steps"),
        gettext(
            "Test tasks by the fewest steps that solve them: at the start, and "
            "after the newest phase. %(success)s"
        )
        % {"success": say_success(rows)},
        list(_marks(rows, "optimal")),
        gettext("tasks solved, %"),
        categories=_categories(rows),
    )


def success_by_words(rows: Sequence[GroupRow]) -> Chart:
    """The start and the newest phase of each run, by words of the instruction."""
    return share_chart(
        "success-by-words",
        gettext("Success by length of the instruction"),
        gettext(
            "Test tasks by the number of words of their instruction: at the start, "
            "and after the newest phase. %(success)s"
        )
        % {"success": say_success(rows)},
        list(_marks(rows, "words")),
        gettext("tasks solved, %"),
        categories=_categories(rows),
    )


def _marks(rows: Sequence[GroupRow], field: str) -> Iterator[Row]:
    moments, several = MomentNames(), len({row.phase.run_id for row in rows}) > 1
    newest = {row.phase.run_id: row.phase.phase_number for row in rows}
    for row in rows:
        is_start = row.purpose == "baseline"
        if not is_start and row.phase.phase_number != newest[row.phase.run_id]:
            continue
        moment = moments[row.purpose, row.phase.phase_number]
        low, high = row.bounds
        filters: dict[str, object] = {f"{field}_from": low}
        if high is not None:
            filters[f"{field}_to"] = high
        yield share_row(
            f"{row.phase.run_name}, {moment.lower()}" if several else moment,
            _label(row.bounds),
            wilson(row.successes, row.n, tasks=row.tasks),
            ledger_url(row.phase.run_id, row.phase.phase_id, row.purpose, **filters),
        )


def _label(bounds: Bounds) -> str:
    low, high = bounds
    return (
        gettext("%(low)s or more") % {"low": low}
        if high is None
        else gettext("%(low)s to %(high)s") % {"low": low, "high": high}
    )


def _categories(rows: Sequence[GroupRow]) -> list[str]:
    return [_label(bounds) for bounds in sorted({row.bounds for row in rows}, key=_low)]


def _low(bounds: Bounds) -> int:
    return bounds[0]
