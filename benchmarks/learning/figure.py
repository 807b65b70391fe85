"""Draws success over optimiser steps from a file of raw rows.

`python -m benchmarks.learning.figure ROWS CURVES OUT.svg`. CURVES is a JSON list; each
curve has a `title`, the `steps` of each of its points and the `rows` that these points
show, as `METHOD, phase N`:

    [{"title": "WebRL", "steps": [0, 620], "rows": ["start, phase 0", "ours, phase 1"]}]

Points are means over seeds with 95 % intervals over whole templates. A curve that is a
`control` is dashed. Plotly draws in the Chromium that BROWSER_EXECUTABLE names, or in
Playwright's own.
"""

from __future__ import annotations

import argparse
import base64
import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import plotly.graph_objects as go
from playwright.sync_api import sync_playwright

from benchmarks.learning.comparing import read_groups
from benchmarks.learning.summary import Row, share_by_task
from rollouts.sites.sandbox.catalog import load_tasks
from scripts.workbench.paths import ROOT
from training.evaluation.clustered import Interval, clustered_mean

PLOTLY = ROOT / "static/vendor/plotly-basic.min.js"
WIDTH, HEIGHT = 900, 480
# Readable on white and apart for the colour-blind (Okabe and Ito 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
SAVE = """([figure, size]) => {
  const place = document.body.appendChild(document.createElement("div"));
  return Plotly.newPlot(place, figure.data, figure.layout)
    .then(() => Plotly.toImage(place, { format: "svg", ...size }));
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class Curve:
    """One line of the figure: a point for each number of optimiser steps."""

    title: str
    steps: tuple[int, ...]
    success: tuple[Interval, ...]
    is_control: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("rows", "curves", "out"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args(arguments)
    plans = json.loads(given.curves.read_text(encoding="utf-8"))
    curves = read_curves(read_groups(given.rows), plans)
    given.out.write_text(render(build(curves)), encoding="utf-8")
    return 0


def read_curves(
    groups: Sequence[list[Row]], plans: Sequence[Mapping[str, Any]]
) -> list[Curve]:
    """The curves that `plans` describe.

    Raises:
        SystemExit: A curve names rows that do not exist, or lacks a number of steps.
    """
    named = {f"{rows[0]['method']}, phase {rows[0]['phase']}": rows for rows in groups}
    unknown = [name for plan in plans for name in plan["rows"] if name not in named]
    if unknown:
        raise SystemExit(f"There are no rows named {unknown[0]!r}.")
    for plan in plans:
        if len(plan["steps"]) != len(plan["rows"]):
            raise SystemExit(f"{plan['title']} needs as many steps as rows.")
    return [
        Curve(
            plan["title"],
            tuple(plan["steps"]),
            tuple(_measure(named[name]) for name in plan["rows"]),
            plan.get("control", False),
        )
        for plan in plans
    ]


def _measure(rows: Sequence[Row]) -> Interval:
    shares = share_by_task(rows)
    known = {task["key"]: task["template_key"] for task in load_tasks()}
    return clustered_mean(list(shares.values()), [known[key] for key in shares])


def build(curves: Sequence[Curve]) -> go.Figure:
    """Success in percent over optimiser steps; intervals as bars."""
    figure = go.Figure()
    for place, curve in enumerate(curves):
        colour = COLOURS[place % len(COLOURS)]
        figure.add_scatter(
            name=curve.title,
            x=curve.steps,
            y=[100 * one.mean for one in curve.success],
            error_y={
                "array": [100 * (one.high - one.mean) for one in curve.success],
                "arrayminus": [100 * (one.mean - one.low) for one in curve.success],
                "thickness": 1,
                "width": 3,
            },
            mode="lines+markers",
            line={"color": colour, "dash": "dash" if curve.is_control else "solid"},
            marker={"size": 8, "symbol": "square" if curve.is_control else "circle"},
        )
    return figure.update_layout(
        template="none",
        font={"family": "sans-serif", "size": 13, "color": "#222"},
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={"title": "optimiser steps of the policy", "rangemode": "tozero"},
        yaxis={"title": "tasks solved", "ticksuffix": " %", "rangemode": "tozero"},
    )


def render(figure: go.Figure) -> str:
    """The figure as SVG."""
    program = os.environ.get("BROWSER_EXECUTABLE") or None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        try:
            page = browser.new_page()
            page.add_script_tag(path=PLOTLY)
            size = {"width": WIDTH, "height": HEIGHT}
            found = page.evaluate(SAVE, [json.loads(figure.to_json()), size])
        finally:
            browser.close()
    head, _, body = str(found).partition(",")
    if head.endswith("base64"):
        return base64.b64decode(body).decode()
    return unquote(body)


if __name__ == "__main__":
    raise SystemExit(main())
