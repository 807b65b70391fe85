"""Success by a setting in which the chosen runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, pgettext

from rollouts.selectors.pages import OutcomeRow
from webrl_site.charts.chart import (
    Chart,
    Row,
    ledger_url,
    say_success,
    share_chart,
    share_row,
)
from webrl_site.i18n.setting_words import say_setting
from webrl_site.runs.config import complete
from webrl_site.runs.config_diff import compare
from webrl_site.statistics import wilson

# Runs that differ in more settings are not a sweep: no single setting explains them.
MAX_SETTINGS = 3
# A measurement: run, phase number, its id, and the purpose.
Moment = tuple[int, int, int, str]


def success_by_settings(
    rows: Sequence[OutcomeRow], configs: Mapping[int, Mapping[str, Any]]
) -> list[Chart]:
    """A chart for each setting that differs; none where too many do.

    Args:
        rows: Outcomes of test episodes.
        configs: The newest settings by run.
    """
    differing = {
        row.key: dict(zip(configs, row.values, strict=True))
        for row in compare([complete(config) for config in configs.values()])
        if row.differs
    }
    if len(differing) > MAX_SETTINGS:
        return []
    sums = _sum_sites(rows)
    text = say_success(rows)
    return [_draw(key, values, sums, text) for key, values in differing.items()]


def _sum_sites(rows: Sequence[OutcomeRow]) -> dict[Moment, list[int]]:
    sums: dict[Moment, list[int]] = {}
    for row in rows:
        moment = (row.run_id, row.phase_number, row.phase_id, row.purpose)
        total = sums.setdefault(moment, [0, 0, 0])
        for place, count in enumerate((row.successes, row.n, row.tasks)):
            total[place] += count
    return sums


def _draw(
    key: str,
    values: Mapping[int, str],
    sums: Mapping[Moment, Sequence[int]],
    success: str,
) -> Chart:
    newest = {run_id: number for run_id, number, _, _ in sorted(sums)}
    marks: list[tuple[str, Row]] = []
    for (run_id, number, phase_id, purpose), (right, n, tasks) in sums.items():
        is_start = purpose == "baseline"
        if run_id not in values or not (is_start or number == newest[run_id]):
            continue
        series = pgettext("moment", "Start") if is_start else gettext("Newest phase")
        url = ledger_url(run_id, phase_id, purpose)
        value = values[run_id]
        share = wilson(right, n, tasks=tasks)
        marks.append((value, share_row(series, value, share, url)))
    # By series, each from the lowest value to the highest: the line runs once.
    marks.sort(key=lambda mark: (mark[1].series, order_of(mark[0])))
    setting = str(say_setting(key.rpartition(".")[2]))
    return share_chart(
        f"success-by-{key.replace('.', '-')}",
        gettext("Success by setting: %(setting)s") % {"setting": setting},
        gettext(
            "The chosen runs differ in this setting. Each mark is one run on the "
            "held-out test tasks, at the start and after its newest phase. %(success)s"
        )
        % {"success": success},
        [row for _, row in marks],
        gettext("tasks solved, %"),
        categories=sorted(set(values.values()), key=order_of),
    )


def order_of(value: str) -> tuple[float, str]:
    """Numbers by size, words after them."""
    try:
        return float(value), ""
    except ValueError:
        return float("inf"), value
