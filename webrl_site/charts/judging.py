"""The reward model compared with the environment's evaluators."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from django.utils.translation import gettext, gettext_lazy

from rollouts.selectors.chart_rows import CALIBRATION_BINS, CalibrationRow, VerdictRow
from webrl_site.charts.chart import (
    BEYOND,
    Chart,
    MomentNames,
    episodes_url,
    local_signs,
    say_repeats,
    share_chart,
    share_row,
    traces,
    with_local_sign,
)
from webrl_site.statistics import wilson

# Hits, of how many episodes, of how many tasks, and the filters of these.
Share = tuple[int, int, int, dict[str, str]]
PUBLISHED_ORM_ACCURACY = ((gettext_lazy("WebRL's reward model on rollouts"), 79.4),)


def orm_accuracy(rows: Sequence[VerdictRow]) -> Chart:
    """Accuracy, precision and recall of the reward model, by phase."""
    several = len({row.run_id for row in rows}) > 1
    moments = MomentNames()
    marks = [
        share_row(
            f"{row.run_name}, {name}" if several else name,
            moments["evaluate", row.phase_number],
            wilson(hits, n, tasks=tasks),
            episodes_url(phase=row.phase_id, **filters),
        )
        for name, count in (
            (gettext("Accuracy"), _count_accuracy),
            (gettext("Precision"), _count_precision),
            (gettext("Recall"), _count_recall),
        )
        for row in rows
        for hits, n, tasks, filters in (count(row),)
        if n
    ]
    text = gettext(
        "Accuracy over all episodes that it and the evaluators judged; precision "
        "over those it calls a success; recall over those that are one."
    )
    is_repeated = any(row.tasks < _count_accuracy(row)[1] for row in rows)
    return share_chart(
        "orm",
        gettext("Reward model against ground truth"),
        say_repeats(text, is_repeated),
        marks,
        gettext("per cent"),
        [(str(name), value) for name, value in PUBLISHED_ORM_ACCURACY],
    )


def _say_bin(place: int) -> str:
    low, high = place / CALIBRATION_BINS, (place + 1) / CALIBRATION_BINS
    return gettext("P(YES) %(low)s to %(high)s") % {
        "low": with_local_sign(f"{low:g}"),
        "high": with_local_sign(f"{high:g}"),
    }


def _count_accuracy(row: VerdictRow) -> Share:
    right = row.true_yes + row.true_no
    n = right + row.false_yes + row.false_no
    return right, n, row.tasks, {"judged": "yes", "scored": "yes"}


def _count_precision(row: VerdictRow) -> Share:
    return (
        row.true_yes,
        row.true_yes + row.false_yes,
        row.yes_tasks,
        {"judged": "yes", "reward": "yes"},
    )


def _count_recall(row: VerdictRow) -> Share:
    n = row.true_yes + row.false_no
    return row.true_yes, n, row.solved_tasks, {"outcome": "yes", "scored": "yes"}


def calibration(rows: Sequence[CalibrationRow]) -> Chart:
    """How often the reward model is right, by its confidence."""
    several = len({row.run_id for row in rows}) > 1
    marks = [
        dataclasses.replace(
            share_row(
                row.run_name if several else gettext("Reward model"),
                _say_bin(row.place),
                wilson(row.successes, row.n, tasks=row.tasks),
                episodes_url(**_bin_filters(row)),
            ),
            x=round(row.mean, 4),
        )
        for row in rows
    ]
    text = gettext(
        "Episodes in ten groups by the reward model's P(YES), against the share "
        "that the evaluators call a success; on the dotted line the two agree. "
        "%(errors)s"
    ) % {"errors": _say_errors(rows, several)}
    text = say_repeats(text, any(row.tasks < row.n for row in rows))
    figure = {
        "data": traces(marks, "lines+markers"),
        "layout": {
            **local_signs(),
            "xaxis": {
                "title": {"text": gettext("mean P(YES)")},
                "range": [-0.03, 1.03],
            },
            "yaxis": {"title": {"text": gettext("successes, %")}, "range": BEYOND},
            "shapes": [
                {
                    **{"type": "line", "x0": 0, "x1": 1, "y0": 0, "y1": 100},
                    "line": {"dash": "dot", "width": 1},
                }
            ],
        },
        "references": [],
    }
    title = gettext("Reward model's calibration")
    return Chart("calibration", title, text, marks, figure, is_share=True)


def expected_calibration_error(rows: Sequence[CalibrationRow]) -> float:
    """Mean distance between P(YES) and truth over ten bins, weighted by episodes.

    Naeini and others, *Obtaining Well Calibrated Probabilities Using Bayesian
    Binning*, 2015. Between 0 and 1; 0 without episodes.
    """
    total = sum(row.n for row in rows)
    if not total:
        return 0.0
    return sum(abs(row.mean * row.n - row.successes) for row in rows) / total


def _say_errors(rows: Sequence[CalibrationRow], several: bool) -> str:
    said = []
    for run_id, name in dict.fromkeys((row.run_id, row.run_name) for row in rows):
        of_run = [row for row in rows if row.run_id == run_id]
        error = with_local_sign(f"{expected_calibration_error(of_run):.3f}")
        said.append(f"{name} {error}" if several else error)
    return (
        gettext("Expected calibration error: %(said)s.") % {"said": ", ".join(said)}
        if said
        else ""
    )


def _bin_filters(row: CalibrationRow) -> dict[str, object]:
    filters: dict[str, object] = {"run": row.run_id, "judged": "yes"}
    filters["chance_from"] = row.place / CALIBRATION_BINS
    if row.place < CALIBRATION_BINS - 1:
        filters["chance_below"] = (row.place + 1) / CALIBRATION_BINS
    return filters
