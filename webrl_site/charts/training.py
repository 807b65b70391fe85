"""The numbers of training over the optimiser steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from training.selectors.pages import MetricRow
from webrl_site.charts.chart import Chart, Row, episodes_url, thin_traces

METRIC_CHARTS = {
    "kl": (
        "train/kl",
        gettext_lazy("KL from the previous policy"),
        gettext_lazy("nats per action"),
    ),
    "policy-loss": ("train/policy_loss", gettext_lazy("Policy loss"), "loss"),
    "critic-loss": ("train/critic_loss", gettext_lazy("Critic loss"), "nats"),
}


def metric_chart(key: str, rows: Sequence[MetricRow]) -> Chart:
    """One number of training over the optimiser steps of all phases."""
    name, title, unit = METRIC_CHARTS[key]
    marks, starts = _metric_rows([row for row in rows if row.name == name])
    lines, urls = thin_traces(marks)
    figure = {
        "data": lines,
        "urls": urls,
        "layout": {
            "xaxis": {"title": {"text": gettext("optimiser steps, phase after phase")}},
            "yaxis": {"title": {"text": unit}},
            "shapes": [_start_line(x) for x in starts[1:]],
        },
        "references": [],
    }
    text = gettext("A dotted line marks where a phase begins.")
    return Chart(key, str(title), text, marks, figure, is_share=False)


def _metric_rows(rows: Sequence[MetricRow]) -> tuple[list[Row], list[float]]:
    """Put the phases of each run one after another on one axis."""
    marks: list[Row] = []
    starts: list[float] = []
    offset, last, run = 0, None, None
    longest = 0
    urls = {
        pk: episodes_url(phase=pk, purpose="collect")
        for pk in {row.phase_id for row in rows}
    }
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
                gettext("Phase %(phase_number)s, step %(step)s")
                % {"phase_number": row.phase_number, "step": row.step},
                row.value,
                urls[row.phase_id],
                x=offset + row.step,
            )
        )
    return marks, sorted(set(starts))


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
