"""One chart: a figure, a table and a CSV file made from the same rows.

A mark on a chart, a line of its table and a line of its CSV file are one `Row`, so
they cannot disagree. Figures are plain dictionaries in Plotly's format without
colours: the page adds those of its theme.
"""

from __future__ import annotations

import csv
import dataclasses
import functools
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote_plus

from django.urls import reverse
from django.utils.formats import get_format
from django.utils.translation import gettext, gettext_lazy, pgettext

from rollouts.selectors.chart_rows import GroupRow
from rollouts.selectors.pages import OutcomeRow
from webrl_site.exports.text import to_cell
from webrl_site.statistics import Proportion
from webrl_site.templatetags.workbench import decimal

# A training has thousands of marks; a page with a line for each is slow to make.
TABLE_LINES = 100
# Range of a per cent axis with marks: those at 0 or 100 are not cut in half.
BEYOND = [-3, 103]
SUCCESS = gettext_lazy(
    "Success: the environment's evaluators found the task done. Episodes "
    "broken by the site or the browser are left out and counted under “How "
    "episodes end”."
)

REPEATED = gettext_lazy(
    "Tasks were attempted several times: the counts are of attempts, and the "
    "intervals are as wide as for one attempt per task."
)


class MomentNames(dict[tuple[str, int], str]):
    """Names of the start and of each phase, by purpose and phase number.

    A page uses them a thousand times; each is translated once.
    """

    def __missing__(self, moment: tuple[str, int]) -> str:
        purpose, number = moment
        name = (
            pgettext("moment", "Start")
            if purpose == "baseline"
            else gettext("Phase %(number)s") % {"number": number}
        )
        self[moment] = name
        return name


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
    """One chart with everything that its page section needs.

    `awaited` is the text about what a chart without a mark waits for.
    """

    key: str
    title: str
    text: str
    rows: Sequence[Row]
    figure: dict[str, Any]
    is_share: bool
    awaited: str = ""

    @property
    def script_id(self) -> str:
        """Id of the element that carries the figure."""
        return f"figure-{self.key}"

    @property
    def has_x(self) -> bool:
        """Whether the marks are at numbers and not at labels."""
        return bool(self.rows) and self.rows[0].x is not None

    def columns(self) -> list[str]:
        """Return the table's and the file's header."""
        names = ["series", "at", *(["x"] if self.has_x else [])]
        names.append("percent" if self.is_share else "value")
        return names + (["low", "high", "successes", "n"] if self.is_share else [])

    def cells(self, row: Row) -> list[Any]:
        """Return one line under `columns`."""
        cells: list[Any] = [row.series, row.label, *([row.x] if self.has_x else [])]
        cells.append(round(row.value, 6))
        if self.is_share:
            low, high = row.low or 0.0, row.high or 0.0
            cells += [round(low, 4), round(high, 4), row.successes, row.n]
        return cells

    def table(self) -> Iterable[tuple[str, list[Any]]]:
        """Return (address of the episodes, cells) of the first lines."""
        return [(row.url, self.cells(row)) for row in self.rows[:TABLE_LINES]]

    @property
    def table_size(self) -> int:
        """Lines of the page's table."""
        return min(len(self.rows), TABLE_LINES)

    @property
    def is_cut(self) -> bool:
        """Whether the page's table omits lines, which are in the file."""
        return len(self.rows) > TABLE_LINES


def number_runs(drawn: Iterable[Chart], names: Sequence[str]) -> None:
    """Give each series the number of its run, which sets its colour in every chart.

    With several runs, a series is named after its run and what it shows.
    """
    longest_first = sorted(names, key=len, reverse=True)
    for trace in (trace for chart in drawn for trace in chart.figure["data"]):
        for name in longest_first:
            if trace["name"] == name or trace["name"].startswith(f"{name}, "):
                trace["run"] = names.index(name)
                break


def write_csv(chart: Chart) -> str:
    """Return the rows as a CSV file; a cell that a spreadsheet could run is quoted."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(chart.columns())
    for row in chart.rows:
        writer.writerow(map(to_cell, chart.cells(row)))
    return file.getvalue()


def episodes_url(**filters: object) -> str:
    """Return the address of the episodes that a mark counts."""
    return f"{_list_url()}?{_ask(filters)}"


def ledger_url(run_id: int, phase_id: int, purpose: str, **filters: object) -> str:
    """Return the address of the test tasks that a mark counts, one by one.

    There each is next to the measurement before it, with links to both episodes.
    """
    asked = {"to": f"{purpose}-{phase_id}"} | filters
    return f"{reverse('ledger', args=[run_id])}?{_ask(asked)}"


def tasks_url(**filters: object) -> str:
    """Return the address of the tasks that a mark counts."""
    return f"{reverse('curriculum:task_list')}?{_ask(filters)}"


def _ask(filters: Mapping[str, object]) -> str:
    return "&".join(f"{key}={quote_plus(str(filters[key]))}" for key in filters)


@functools.cache
def _list_url() -> str:
    return reverse("rollouts:trajectory_list")


def say_success(rows: Iterable[OutcomeRow | GroupRow]) -> str:
    """Return what success means, and what is counted if tasks were repeated."""
    return say_repeats(str(SUCCESS), any(row.tasks < row.n for row in rows))


def say_repeats(text: str, is_repeated: bool) -> str:
    """Return a chart's text, and what is counted if tasks were repeated."""
    return f"{text} {REPEATED}" if is_repeated else text


def share_row(series: str, label: str, share: Proportion, url: str) -> Row:
    rate, low, high = share.rate or 0.0, share.low or 0.0, share.high or 0.0
    return Row(
        series, label, 100 * rate, url, share.n, share.successes, 100 * low, 100 * high
    )


def share_chart(
    key: str,
    title: str,
    text: str,
    marks: list[Row],
    unit: str,
    references: Sequence[tuple[str, float]] = (),
    categories: Sequence[str] | None = None,
) -> Chart:
    """Return a chart of shares; `categories` is the axis, by default the phases."""
    labels = categories or sorted({row.label for row in marks}, key=label_order)
    figure = {
        "data": traces(marks, "lines+markers"),
        "layout": {
            **local_signs(),
            # Also for numbers: betas of 0.01 and 0.05 are still distinct next to 1.
            "xaxis": {
                "type": "category",
                "categoryorder": "array",
                "categoryarray": list(labels),
            },
            "yaxis": {"title": {"text": unit}, "range": BEYOND},
        },
        "references": [{"name": name, "value": value} for name, value in references],
    }
    return Chart(key, title, text, marks, figure, is_share=True)


def stacked_chart(
    key: str,
    title: str,
    text: str,
    marks: Sequence[Row],
    unit: str,
    categories: Sequence[str],
) -> Chart:
    """Return a chart of bars that add up to 100 %; `categories` is their order."""
    layout = {
        **local_signs(),
        "barmode": "stack",
        "xaxis": {
            "categoryorder": "array",
            "categoryarray": list(dict.fromkeys(categories)),
        },
        "yaxis": {"title": {"text": unit}, "range": [0, 100]},
    }
    figure = {"data": _stack(marks), "layout": layout, "references": []}
    return Chart(key, title, text, marks, figure, is_share=True)


def _stack(marks: Sequence[Row]) -> list[dict[str, Any]]:
    series: dict[str, list[Row]] = {}
    for row in marks:
        series.setdefault(row.series, []).append(row)
    return [
        {
            "type": "bar",
            "name": name,
            "x": [row.label for row in rows],
            "y": [round(row.value, 6) for row in rows],
            "customdata": [row.url for row in rows],
            "text": _say_marks(rows),
            "textposition": "none",
            "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
        }
        for name, rows in series.items()
    ]


def label_order(label: str) -> int:
    """Return the number in a phase's label; 0 in that of the start."""
    return int("".join(filter(str.isdigit, label)) or 0)


def traces(marks: Sequence[Row], mode: str) -> list[dict[str, Any]]:
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
        "text": _say_marks(rows),
        "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
    }
    if rows[0].n is not None:
        trace["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": [round((row.high or 0) - row.value, 4) for row in rows],
            "arrayminus": [round(row.value - (row.low or 0), 4) for row in rows],
        }
    return trace


def _say_marks(rows: Sequence[Row]) -> list[str]:
    """Return the text of each mark; the sentences are translated once."""
    ranged = gettext(
        "%(at)s: %(percent)s %% (%(successes)s of %(n)s), 95 %% from %(low)s to "
        "%(high)s"
    )
    return [
        ranged % _say_share(row)
        if row.n is not None
        else f"{row.label}: {with_local_sign(f'{row.value:.4g}')}"
        for row in rows
    ]


def _say_share(row: Row) -> dict[str, object]:
    shares = {"percent": row.value, "low": row.low, "high": row.high}
    figures = {name: decimal(share, 1) for name, share in shares.items()}
    return {"at": row.label, "successes": row.successes, "n": row.n, **figures}


def local_signs() -> dict[str, str]:
    """Return a layout's signs for the numbers that Plotly writes itself."""
    signs = (get_format("DECIMAL_SEPARATOR"), get_format("THOUSAND_SEPARATOR") or " ")
    return {"separators": "".join(signs)}


def with_local_sign(number: str) -> str:
    """Return a number with the decimal sign of the reader's language."""
    return number.replace(".", get_format("DECIMAL_SEPARATOR"))
