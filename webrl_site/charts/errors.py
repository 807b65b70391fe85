"""What kind of error failed test episodes made; stacked, phase by phase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext

from rollouts.models import Trajectory
from rollouts.selectors.chart_rows import ErrorTypeRow
from webrl_site.charts.chart import (
    Chart,
    MomentNames,
    episodes_url,
    say_repeats,
    share_row,
    stacked_chart,
)
from webrl_site.statistics import wilson

Moment = tuple[str, int, str]


def error_types(rows: Sequence[ErrorTypeRow]) -> Chart:
    """Every error type's share of the failed test episodes of a phase."""
    totals: Counter[Moment] = Counter()
    for row in rows:
        totals[_moment(row)] += row.n
    labels = _label(rows)
    marks = [
        share_row(
            str(title),
            labels[_moment(row)],
            wilson(row.n, totals[_moment(row)], tasks=row.tasks),
            episodes_url(
                phase=row.phase.phase_id, purpose=row.purpose, error_type=row.error_type
            ),
        )
        for error_type, title in Trajectory.ErrorType.choices
        for row in rows
        if row.error_type == error_type
    ]
    text = gettext(
        "Test episodes that the evaluators judged failures, by the paper's "
        "four types. Rules assign the type; people can correct it next to "
        "the episode's verdicts."
    )
    is_repeated = any(row.tasks < totals[_moment(row)] for row in rows)
    text = say_repeats(text, is_repeated)
    title, unit = gettext("Error types"), gettext("failed episodes, %")
    return stacked_chart("error-types", title, text, marks, unit, [*labels.values()])


def _moment(row: ErrorTypeRow) -> Moment:
    return row.phase.run_name, row.phase.phase_id, row.purpose


def _label(rows: Sequence[ErrorTypeRow]) -> dict[Moment, str]:
    several = len({row.phase.run_id for row in rows}) > 1
    names, labels = MomentNames(), {}
    for row in rows:
        at = names[row.purpose, row.phase.phase_number]
        labels[_moment(row)] = f"{row.phase.run_name}, {at.lower()}" if several else at
    return labels
