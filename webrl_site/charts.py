"""The charts' data: figures, tables and CSV files made from the same rows.

A mark on a chart, a line of its table and a line of its CSV file are one `Row`, so
they cannot disagree. Figures are plain dictionaries in Plotly's format without
colours: the page adds those of its theme.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from rollouts.selectors.pages import OutcomeRow, VerdictRow
from training.selectors.pages import MetricRow
from webrl_site.statistics import Proportion, wilson

# Success on WebArena-Lite's 165 tasks, in per cent, as published.
PUBLISHED = (
    ("Llama-3.1-8B + WebRL", 42.4),
    ("Llama-3.1-8B + DigiRL", 30.3),
    ("Llama-3.1-8B + AWR", 28.5),
    ("Llama-3.1-8B + Filtered BC", 23.0),
    ("Llama-3.1-8B + SFT", 20.6),
    ("GPT-4-Turbo, prompted", 17.6),
    ("Llama-3.1-8B, prompted", 4.8),
)
PUBLISHED_ORM_ACCURACY = (("WebRL's reward model on rollouts", 79.4),)
METRIC_CHARTS = {
    "kl": ("train/kl", "KL from the previous policy", "nats per action"),
    "policy-loss": ("train/policy_loss", "Policy loss", "loss"),
    "critic-loss": ("train/critic_loss", "Critic loss", "nats"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One mark: its series, its place, its number, and the episodes behind it."""

    series: str
    label: str
    value: float
    url: str
    n: int | None = None
    successes: int | None = None
    low: float | None = None
    high: float | None = None
    x: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Chart:
    """One chart with everything that its page section needs."""

    key: str
    title: str
    text: str
    rows: list[Row]
    figure: dict[str, Any]
    is_share: bool

    @property
    def script_id(self) -> str:
        """Id of the element that carries the figure."""
        return f"figure-{self.key}"

    def columns(self) -> list[str]:
        """Return the table's and the file's header."""
        names = ["series", "at", "percent" if self.is_share else "value"]
        return names + (["low", "high", "successes", "n"] if self.is_share else [])

    def cells(self, row: Row) -> list[Any]:
        """Return one line under `columns`."""
        cells: list[Any] = [row.series, row.label, round(row.value, 6)]
        if self.is_share:
            low, high = row.low or 0.0, row.high or 0.0
            cells += [round(low, 4), round(high, 4), row.successes, row.n]
        return cells

    def table(self) -> Iterable[tuple[str, list[Any]]]:
        """Return (address of the episodes, cells) line by line."""
        return [(row.url, self.cells(row)) for row in self.rows]


def write_csv(chart: Chart) -> str:
    """Return the rows as a CSV file; a cell that a spreadsheet could run is quoted."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(chart.columns())
    for row in chart.rows:
        writer.writerow([_harmless(cell) for cell in chart.cells(row)])
    return file.getvalue()


def _harmless(cell: Any) -> Any:
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + cell
    return cell


def success_by_phase(rows: Sequence[OutcomeRow]) -> Chart:
    """All sites together: one series a run."""
    marks = _success_rows(rows, lambda row: row.run_name, site="")
    return _share_chart(
        "success",
        "Success by phase",
        "Held-out test tasks, judged by the environment's evaluators. Bars are 95 % "
        "Wilson intervals.",
        marks,
        "tasks solved, %",
        PUBLISHED,
    )


def success_by_site(rows: Sequence[OutcomeRow]) -> Chart:
    """One series a site, and a run where there are several."""
    several = len({row.run_id for row in rows}) > 1
    marks: list[Row] = []
    for site in sorted({row.site for row in rows}):
        of_site = [row for row in rows if row.site == site]
        marks += _success_rows(
            of_site,
            lambda row: (
                f"{row.run_name}, {row.site_name}" if several else row.site_name
            ),
            site=site,
        )
    return _share_chart(
        "success-by-site",
        "Success by site",
        "The same test tasks, site by site.",
        marks,
        "tasks solved, %",
    )


def orm_accuracy(rows: Sequence[VerdictRow]) -> Chart:
    """Accuracy, precision and recall of the reward model, by phase."""
    several = len({row.run_id for row in rows}) > 1
    marks = [
        _share_row(
            f"{row.run_name}, {name}" if several else name,
            f"Phase {row.phase_number}",
            wilson(hits, n),
            episodes_url(phase=row.phase_id, **filters),
        )
        for name in ("Accuracy", "Precision", "Recall")
        for row in rows
        for hits, n, filters in (_verdict(row, name),)
        if n
    ]
    return _share_chart(
        "orm",
        "Reward model against ground truth",
        "Accuracy over all judged episodes; precision over those it calls a success; "
        "recall over those that are one.",
        marks,
        "per cent",
        PUBLISHED_ORM_ACCURACY,
    )


def metric_chart(key: str, rows: Sequence[MetricRow]) -> Chart:
    """One number of training over the optimiser steps of all phases."""
    name, title, unit = METRIC_CHARTS[key]
    marks, starts = _metric_rows([row for row in rows if row.name == name])
    figure = {
        "data": _traces(marks, "lines"),
        "layout": {
            "xaxis": {"title": {"text": "optimiser steps, phase after phase"}},
            "yaxis": {"title": {"text": unit}},
            "shapes": [_start_line(x) for x in starts[1:]],
        },
        "references": [],
    }
    text = "A dotted line marks where a phase begins."
    return Chart(key, title, text, marks, figure, is_share=False)


def episodes_url(**filters: object) -> str:
    return f"{reverse('rollouts:trajectory_list')}?{urlencode(filters)}"


def _success_rows(
    rows: Sequence[OutcomeRow], series: Callable[[OutcomeRow], str], site: str
) -> list[Row]:
    sums: dict[tuple[str, int, int, str], list[int]] = {}
    for row in rows:
        key = (series(row), row.phase_number, row.phase_id, row.purpose)
        total = sums.setdefault(key, [0, 0])
        total[0] += row.successes
        total[1] += row.n
    made = []
    for (name, number, phase_id, purpose), total in sorted(sums.items()):
        filters = {"phase": phase_id, "purpose": purpose} | (
            {"site": site} if site else {}
        )
        label = "Start" if purpose == "baseline" else f"Phase {number}"
        url = episodes_url(**filters)
        made.append(_share_row(name, label, wilson(*total), url))
    return made


def _share_row(series: str, label: str, share: Proportion, url: str) -> Row:
    rate, low, high = share.rate or 0.0, share.low or 0.0, share.high or 0.0
    return Row(
        series, label, 100 * rate, url, share.n, share.successes, 100 * low, 100 * high
    )


def _verdict(row: VerdictRow, name: str) -> tuple[int, int, dict[str, str]]:
    """Return (hits, n, filters of the episodes counted in n)."""
    if name == "Precision":
        return row.true_yes, row.true_yes + row.false_yes, {"reward": "yes"}
    if name == "Recall":
        return row.true_yes, row.true_yes + row.false_no, {"outcome": "yes"}
    right = row.true_yes + row.true_no
    return right, right + row.false_yes + row.false_no, {}


def _metric_rows(rows: Sequence[MetricRow]) -> tuple[list[Row], list[float]]:
    """Put the phases of each run one after another on one axis."""
    marks: list[Row] = []
    starts: list[float] = []
    offset, last, run = 0, None, None
    longest = 0
    for row in rows:
        if row.run_id != run:
            offset, longest, run = 0, 0, row.run_id
        if (row.run_id, row.phase_id) != last:
            offset, longest = offset + longest, 0
            last = (row.run_id, row.phase_id)
            starts.append(offset)
        longest = max(longest, row.step + 1)
        marks.append(
            Row(
                row.run_name,
                f"Phase {row.phase_number}, step {row.step}",
                row.value,
                episodes_url(phase=row.phase_id, purpose="collect"),
                x=offset + row.step,
            )
        )
    return marks, sorted(set(starts))


def _share_chart(
    key: str,
    title: str,
    text: str,
    marks: list[Row],
    unit: str,
    references: Sequence[tuple[str, float]] = (),
) -> Chart:
    labels = sorted({row.label for row in marks}, key=_label_order)
    figure = {
        "data": _traces(marks, "lines+markers"),
        "layout": {
            "xaxis": {"categoryorder": "array", "categoryarray": labels},
            "yaxis": {"title": {"text": unit}, "range": [0, 100]},
        },
        "references": [{"name": name, "value": value} for name, value in references],
    }
    return Chart(key, title, text, marks, figure, is_share=True)


def _label_order(label: str) -> int:
    return int(label.removeprefix("Phase ")) if label.startswith("Phase ") else 0


def _traces(marks: Sequence[Row], mode: str) -> list[dict[str, Any]]:
    """Return one Plotly trace a series; `customdata` holds each mark's address."""
    series: dict[str, list[Row]] = {}
    for row in marks:
        series.setdefault(row.series, []).append(row)
    return [_trace(name, rows, mode) for name, rows in series.items()]


def _trace(name: str, rows: list[Row], mode: str) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": mode,
        "name": name,
        "x": [row.label if row.x is None else row.x for row in rows],
        "y": [round(row.value, 6) for row in rows],
        "customdata": [row.url for row in rows],
        "text": [_hover(row) for row in rows],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if rows[0].n is not None:
        trace["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": [round((row.high or 0) - row.value, 4) for row in rows],
            "arrayminus": [round(row.value - (row.low or 0), 4) for row in rows],
        }
    return trace


def _hover(row: Row) -> str:
    if row.n is None:
        return f"{row.label}: {row.value:.4g}"
    return (
        f"{row.label}: {row.value:.1f} % ({row.successes} of {row.n}), "
        f"95 % from {row.low:.1f} to {row.high:.1f}"
    )


def _start_line(x: float) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": x - 0.5,
        "x1": x - 0.5,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"dash": "dot", "width": 1},
    }
