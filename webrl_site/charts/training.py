"""The numbers of training over the optimiser steps."""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, overload

from django.utils.translation import gettext, gettext_lazy

from training.rl import metric_names as names
from training.selectors.pages import MetricLine
from webrl_site.charts.chart import Chart, Row, episodes_url, local_signs

# Each number's name, what it is called, and its unit.
METRIC_CHARTS = {
    "kl": (
        names.KL,
        gettext_lazy("KL from the previous policy"),
        gettext_lazy("nats per action"),
    ),
    "policy-loss": (
        names.POLICY_LOSS,
        gettext_lazy("Policy loss"),
        gettext_lazy("loss"),
    ),
    "critic-loss": (names.CRITIC_LOSS, gettext_lazy("Critic loss"), "nats"),
    "perplexity": (
        names.PERPLEXITY,
        gettext_lazy("Perplexity of actions trained on"),
        gettext_lazy("perplexity, 1 is certain"),
    ),
    "value": (
        names.VALUE,
        gettext_lazy("Critic's value of steps trained on"),
        gettext_lazy("chance of success, 0 to 1"),
    ),
    "critic-accuracy": (
        names.CRITIC_ACCURACY,
        gettext_lazy("Critic's accuracy"),
        gettext_lazy("share of steps, 0 to 1"),
    ),
    "gradient-norm": (
        names.GRADIENT_NORM,
        gettext_lazy("Gradient norm"),
        gettext_lazy("norm before clipping"),
    ),
}
# Drawn for several runs unless others are chosen, to keep the page small.
FIRST_METRICS = ("kl", "policy-loss", "critic-loss")


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """A phase's line at its place on the axis, where it begins at `start`.

    `sentence` names a mark, with "%(phase_number)s" and "%(step)s" in it.
    """

    line: MetricLine
    start: int
    url: str
    sentence: str

    def row(self, place: int) -> Row:
        """Return the mark at `place`, from 0 on."""
        line = self.line
        step = line.steps[place]
        at = {"phase_number": line.phase_number, "step": step}
        label, x = self.sentence % at, self.start + step
        return Row(line.run_name, label, line.values[place], self.url, x=x)


class Marks(Sequence[Row]):
    """The marks of all stretches; each is made when it is read.

    A page draws thousands of numbers and lists a few hundred of them.
    """

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self.stretches = stretches
        lengths = (len(stretch.line.steps) for stretch in stretches)
        self.ends = list(itertools.accumulate(lengths))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(len(self)))

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        places = range(len(self))[at]
        return (
            self._row(places) if isinstance(places, int) else [*map(self._row, places)]
        )

    def _row(self, place: int) -> Row:
        number = bisect.bisect_right(self.ends, place)
        before = self.ends[number - 1] if number else 0
        return self.stretches[number].row(place - before)


def metric_chart(key: str, lines: Sequence[MetricLine]) -> Chart:
    """One number of training over the optimiser steps of all phases."""
    name, title, unit = METRIC_CHARTS[key]
    stretches = _lay_out([line for line in lines if line.name == name])
    starts = sorted({stretch.start for stretch in stretches})
    figure = {
        "data": _traces(stretches),
        "layout": {
            **local_signs(),
            "xaxis": {"title": {"text": gettext("optimiser steps, phase after phase")}},
            "yaxis": {"title": {"text": unit}},
            "shapes": [_start_line(x) for x in starts[1:]],
        },
        "references": [],
        "is_positive": all(min(stretch.line.values) > 0 for stretch in stretches),
    }
    text = gettext("A dotted line marks where a phase begins.")
    return Chart(key, str(title), text, Marks(stretches), figure, is_share=False)


def _lay_out(lines: Sequence[MetricLine]) -> list[Stretch]:
    """Put the phases of each run one after another on one axis."""
    stretches, sentence = [], gettext("Phase %(phase_number)s, step %(step)s")
    start, run = 0, None
    for line in lines:
        if line.run_id != run:
            start, run = 0, line.run_id
        url = episodes_url(phase=line.phase_id, purpose="collect")
        stretches.append(Stretch(line, start, url, sentence))
        start += line.steps[-1] + 1
    return stretches


def _traces(stretches: Sequence[Stretch]) -> list[dict[str, Any]]:
    """Return one Plotly trace a run; `meta` has the address of each stretch of it.

    An address at each mark would take more room than the mark.
    """
    series: dict[str, dict[str, Any]] = {}
    for stretch in stretches:
        line = stretch.line
        trace = series.setdefault(line.run_name, _empty_trace(line.run_name))
        trace["x"] += [stretch.start + step for step in line.steps]
        trace["y"] += [round(value, 6) for value in line.values]
        trace["meta"]["starts"].append(stretch.start)
        trace["meta"]["urls"].append(stretch.url)
    return list(series.values())


def _empty_trace(name: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [],
        "y": [],
        "meta": {"starts": [], "urls": []},
        "hovertemplate": f"{_say_place()}<extra>%{{fullData.name}}</extra>",
    }


def _say_place() -> str:
    """Return what is shown of a mark; Plotly fills in its two numbers."""
    places = {"step": "%{x}", "value": "%{y:.4g}"}
    return gettext("step %(step)s: %(value)s") % places


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
