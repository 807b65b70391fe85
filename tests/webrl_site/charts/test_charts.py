from __future__ import annotations

import csv
import io
from typing import get_args

import pytest
from django.utils import translation

from rollouts.browser.types import EndedBy
from rollouts.selectors.chart_counts import read_test_episodes
from rollouts.selectors.chart_rows import (
    STEP_GROUPS,
    CalibrationRow,
    ErrorTypeRow,
    PhaseKey,
    VerdictRow,
    list_phase_keys,
)
from rollouts.selectors.pages import OutcomeRow
from tests.seed import Example
from tests.seed_training import CURVES
from training.rl import metric_names
from training.selectors.pages import MetricLine
from webrl_site import charts
from webrl_site.charts import METRIC_CHARTS, Chart
from webrl_site.charts.endings import NAMES
from webrl_site.charts.judging import expected_calibration_error
from webrl_site.statistics import wilson


def outcome(number: int, purpose: str, site: str, n: int, successes: int) -> OutcomeRow:
    return OutcomeRow(
        1, "run", number, number, purpose, site, site.title(), n, successes, n
    )


ROWS = [
    outcome(1, "baseline", "forum", 10, 1),
    outcome(1, "baseline", "shop", 10, 3),
    outcome(1, "evaluate", "forum", 10, 4),
    outcome(1, "evaluate", "shop", 10, 6),
    outcome(2, "evaluate", "shop", 20, 15),
]
PHASE = PhaseKey(1, "run", 7, 2)
ERRORS = [
    ErrorTypeRow(PHASE, "evaluate", "stuck", 3, tasks=4),
    ErrorTypeRow(PHASE, "evaluate", "no_attempt", 1, tasks=4),
]


def test_success_counts_all_sites_together_with_wilson_intervals():
    chart = charts.success_by_phase(ROWS)

    assert [(row.label, row.successes, row.n) for row in chart.rows] == [
        ("Start", 4, 20),
        ("Phase 1", 10, 20),
        ("Phase 2", 15, 20),
    ]
    start = wilson(4, 20)
    assert chart.rows[0].low == pytest.approx(100 * start.low)
    assert chart.rows[0].high == pytest.approx(100 * start.high)


def test_success_by_site_has_one_series_a_site():
    chart = charts.success_by_site(ROWS)

    assert [trace["name"] for trace in chart.figure["data"]] == ["Forum", "Shop"]
    assert "site=forum" in chart.rows[0].url


def test_the_reward_model_is_measured_in_three_ways():
    cells = {"true_yes": 6, "false_yes": 2, "true_no": 10, "false_no": 4}
    tasks = {"tasks": 22, "yes_tasks": 8, "solved_tasks": 10}
    row = VerdictRow(1, "run", 1, 1, **cells, **tasks)

    chart = charts.orm_accuracy([row])

    found = {mark.series: (mark.successes, mark.n) for mark in chart.rows}
    assert found == {"Accuracy": (16, 22), "Precision": (6, 8), "Recall": (6, 10)}


def test_a_share_of_nothing_has_no_mark():
    row = VerdictRow(1, "run", 1, 1, 0, 0, 5, 0, tasks=5, yes_tasks=0, solved_tasks=0)

    assert [mark.series for mark in charts.orm_accuracy([row]).rows] == ["Accuracy"]


def test_phases_follow_one_another_on_the_axis_of_steps():
    lines = [
        MetricLine(1, "run", phase, phase, "train/kl", [0, 1, 2], [0.1] * 3)
        for phase in (1, 2)
    ]

    chart = charts.metric_chart("kl", lines)

    meta = chart.figure["data"][0]["meta"]
    assert meta["starts"] == [0, 3]
    assert meta["urls"] == [chart.rows[0].url, chart.rows[3].url]
    assert [row.x for row in chart.rows] == [0, 1, 2, 3, 4, 5]
    assert [row.label for row in chart.rows[2:4]] == [
        "Phase 1, step 2",
        "Phase 2, step 0",
    ]
    assert [shape["x0"] for shape in chart.figure["layout"]["shapes"]] == [2.5]


def test_tasks_are_grouped_by_steps_without_a_gap():
    highs = [high for _, high in STEP_GROUPS]
    lows = [low for low, _ in STEP_GROUPS]
    assert lows[0] == 1 and highs[-1] is None
    assert lows[1:] == [high + 1 for high in highs[:-1] if high]


def test_calibration_error_is_the_mean_distance_from_the_truth():
    rows = [
        CalibrationRow(1, "run", 1, 0.15, 10, 3, 10),
        CalibrationRow(1, "run", 8, 0.85, 30, 24, 30),
    ]
    assert expected_calibration_error(rows) == pytest.approx((1.5 + 1.5) / 40)
    assert expected_calibration_error([]) == 0


def test_charts_and_example_rows_have_only_numbers_that_training_records():
    drawn = {name for name, _, _ in METRIC_CHARTS.values()}

    assert drawn | set(CURVES) <= set(metric_names.PHASE)


def test_what_tasks_ask_is_counted_for_the_start_and_the_newest_phase(
    example: Example,
):
    phases = list_phase_keys([example.run.pk])
    all_of_them = read_test_episodes(phases)
    ends = all_of_them.at_ends()
    moments = {(episode[0], episode[1]) for episode in ends.episodes}
    last = phases[-1].phase_id
    assert moments == {(phases[0].phase_id, "baseline"), (last, "evaluate")}
    assert len(ends.episodes) < len(all_of_them.episodes)


def test_a_cell_that_a_spreadsheet_would_run_is_disarmed():
    row = OutcomeRow(1, "=cmd()", 1, 1, "evaluate", "shop", "Shop", 4, 2, 4)

    assert "'=cmd()" in charts.write_csv(charts.success_by_phase([row]))


def test_a_run_has_the_same_number_in_every_chart():
    names = ["a", "a, b", "c"]
    series = [[{"name": "c"}, {"name": "a"}], [{"name": "a, b, Shop"}, {"name": "x"}]]
    drawn = [
        Chart("key", "", "", [], {"data": data}, is_share=False) for data in series
    ]

    charts.number_runs(drawn, names)

    assert [trace.get("run") for trace in series[0]] == [2, 0]
    assert [trace.get("run") for trace in series[1]] == [1, None]


def test_only_positive_numbers_offer_a_logarithmic_axis():
    for values, is_positive in (([150.0, 1.1], True), ([0.5, 0.0], False)):
        line = MetricLine(1, "run", 1, 1, metric_names.PERPLEXITY, [0, 1], values)

        chart = charts.metric_chart("perplexity", [line])

        assert chart.figure["is_positive"] is is_positive


def test_what_is_shown_of_a_mark_names_its_series():
    for chart in (charts.success_by_phase(ROWS), charts.success_by_site(ROWS)):
        for trace in chart.figure["data"]:
            assert "%{fullData.name}" in trace["hovertemplate"]


def test_what_is_shown_of_a_mark_is_in_the_readers_language():
    line = MetricLine(1, "run", 1, 1, metric_names.KL, [0, 1], [0.1, 0.2])
    with translation.override("es"):
        shares = charts.success_by_phase(ROWS).figure
        parts = charts.error_types(ERRORS).figure
        numbers = charts.metric_chart("kl", [line]).figure
        [certain] = charts.calibration(
            [CalibrationRow(1, "run", 1, 0.15, 10, 3, 10)]
        ).rows

    start, part = shares["data"][0]["text"][0], parts["data"][0]["text"][0]
    assert start == "Inicio: 20,0 % (4 de 20), 95 % de 8,1 a 41,6"
    assert "75,0 % (3 de 4)" in part + parts["data"][1]["text"][0]
    assert numbers["data"][0]["hovertemplate"].startswith("paso %{x}: %{y:.4g}<")
    assert "0,1" in certain.label and "0,2" in certain.label
    for figure in (shares, parts, numbers):
        assert figure["layout"]["separators"][0] == ","


def test_marks_that_stand_at_numbers_have_them_in_table_and_file():
    row = CalibrationRow(1, "run", 1, 0.15, 10, 3, 10)
    line = MetricLine(1, "run", 1, 1, metric_names.KL, [4, 5], [0.1, 0.2])

    for chart in (charts.calibration([row]), charts.metric_chart("kl", [line])):
        written = csv.DictReader(io.StringIO(charts.write_csv(chart)))
        drawn = [x for trace in chart.figure["data"] for x in trace["x"]]
        assert [float(cells["x"]) for cells in written] == drawn
        assert [cells[2] for _, cells in chart.table()] == drawn
    assert "x" not in charts.success_by_phase(ROWS).columns()


def test_error_types_add_up_to_the_failed_episodes():
    chart = charts.error_types(ERRORS)

    assert {row.series: row.value for row in chart.rows} == {
        "Stuck midway": 75,
        "No reasonable attempt": 25,
    }
    assert "error_type=stuck" in chart.rows[0].url


def test_every_way_to_end_has_a_name():
    assert set(get_args(EndedBy)) <= set(NAMES)
