"""Curves that are read from raw rows, and the figure of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.learning.comparing import read_groups
from benchmarks.learning.figure import build, main, read_curves, render

ROOT = Path(__file__).resolve().parents[3]
EXPERIMENTS = ROOT / "docs/experiments"
ROWS = EXPERIMENTS / "learning_five_sites_rows.jsonl"
CURVES = EXPERIMENTS / "learning/five-sites.json"
TASKS = ("shop.test.00005", "shop.test.00006")
PLAN = {"title": "Ours", "steps": [0, 620], "rows": ["start, phase 0", "ours, phase 1"]}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    found = {("start", 0): (False, False), ("ours", 1): (True, False)}
    lines = [
        {"method": method, "seed": 0, "phase": phase, "key": key, "outcome": outcome}
        for (method, phase), outcomes in found.items()
        for key, outcome in zip(TASKS, outcomes, strict=True)
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_a_point_is_the_share_of_solved_tasks(rows):
    (curve,) = read_curves(read_groups(rows), [PLAN])
    assert [one.mean for one in curve.success] == [0.0, 0.5]
    assert curve.steps == (0, 620)


def test_rows_that_do_not_exist_are_named(rows):
    with pytest.raises(SystemExit, match="no rows named 'ours, phase 2'"):
        read_curves(read_groups(rows), [PLAN | {"rows": ["ours, phase 2"] * 2}])


def test_each_point_needs_its_steps(rows):
    with pytest.raises(SystemExit, match="Ours needs as many steps as rows"):
        read_curves(read_groups(rows), [PLAN | {"steps": [0]}])


def test_a_control_is_dashed(rows):
    plans = [PLAN, PLAN | {"title": "Constant", "control": True}]
    figure = build(read_curves(read_groups(rows), plans))
    assert [trace.line.dash for trace in figure.data] == ["solid", "dash"]


def test_an_interval_reaches_as_far_as_the_bootstrap_says(rows):
    curves = read_curves(read_groups(rows), [PLAN])
    (trace,) = build(curves).data
    assert trace.y[1] + trace.error_y.array[1] == 100 * curves[0].success[1].high


def test_the_curves_of_the_docs_name_rows_that_exist():
    curves = read_curves(read_groups(ROWS), json.loads(CURVES.read_text()))
    assert all(len(curve.success) > 1 for curve in curves)


@pytest.mark.browser
def test_the_figure_is_an_svg_with_the_title_of_each_curve(rows):
    figure = build(read_curves(read_groups(rows), [PLAN, PLAN | {"title": "Constant"}]))
    svg = render(figure)
    assert svg.startswith("<svg")
    assert "Ours" in svg and "Constant" in svg


@pytest.mark.browser
def test_the_command_writes_the_file(rows, tmp_path):
    plans = tmp_path / "curves.json"
    plans.write_text(json.dumps([PLAN]))
    main([str(rows), str(plans), str(tmp_path / "figure.svg")])
    assert (tmp_path / "figure.svg").read_text().startswith("<svg")
