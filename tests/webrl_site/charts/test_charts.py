from __future__ import annotations

import csv
import dataclasses
import io
import json
import re

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from rollouts.models import Trajectory
from rollouts.selectors.chart_counts import read_test_episodes
from rollouts.selectors.chart_rows import (
    STEP_GROUPS,
    CalibrationRow,
    VerdictRow,
    list_phase_keys,
)
from rollouts.selectors.pages import OutcomeRow
from tests.factories import PhaseFactory, RunFactory
from tests.seed import Example
from tests.seed_training import CURVES
from tests.webrl_site.conftest import SignIn
from training.rl import metric_names
from training.selectors.pages import MetricLine
from webrl_site import charts
from webrl_site.charts import FIRST_METRICS, METRIC_CHARTS, Chart
from webrl_site.charts.awaited import say_when
from webrl_site.charts.chart import TABLE_LINES
from webrl_site.charts.judging import expected_calibration_error
from webrl_site.statistics import wilson


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:
    return sign_in("researcher")


def outcome(number: int, purpose: str, site: str, n: int, successes: int) -> OutcomeRow:
    return OutcomeRow(
        1, "run", number, number, purpose, site, site.title(), n, successes
    )


ROWS = [
    outcome(1, "baseline", "forum", 10, 1),
    outcome(1, "baseline", "shop", 10, 3),
    outcome(1, "evaluate", "forum", 10, 4),
    outcome(1, "evaluate", "shop", 10, 6),
    outcome(2, "evaluate", "shop", 20, 15),
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
    row = VerdictRow(1, "run", 1, 1, true_yes=6, false_yes=2, true_no=10, false_no=4)

    chart = charts.orm_accuracy([row])

    found = {mark.series: (mark.successes, mark.n) for mark in chart.rows}
    assert found == {"Accuracy": (16, 22), "Precision": (6, 8), "Recall": (6, 10)}


def test_a_share_of_nothing_has_no_mark():
    row = VerdictRow(1, "run", 1, 1, true_yes=0, false_yes=0, true_no=5, false_no=0)

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


def test_the_file_holds_exactly_what_is_drawn(researcher: Client, example: Example):
    drawn = researcher.get(f"/charts/?run={example.run.pk}").context["charts"]

    for chart in drawn:
        url = f"/charts/{chart.key}.csv?run={example.run.pk}"
        text = researcher.get(url).content.decode()
        lines = list(csv.DictReader(io.StringIO(text)))
        marks = [y for trace in chart.figure["data"] for y in trace["y"]]
        column = "percent" if chart.is_share else "value"
        assert sorted(float(line[column]) for line in lines) == pytest.approx(
            sorted(marks)
        )
        assert len(marks) == len(chart.rows) > 0


def counted_charts(client: Client, *run_ids: int) -> list[Chart]:
    asked = "&".join(f"run={pk}" for pk in run_ids)
    drawn = client.get(f"/charts/?{asked}").context["charts"]
    return [chart for chart in drawn if chart.is_share]


def assert_marks_lead_home(client: Client, drawn: list[Chart]) -> None:
    for chart in drawn:
        assert chart.rows, chart.key
        counts = "successes" if chart.key in ("endings", "evolved") else "n"
        for row in chart.rows:
            page = client.get(row.url).context["page"]
            assert page.count == getattr(row, counts), (chart.key, row)


def test_each_mark_leads_to_exactly_its_episodes(researcher: Client, example: Example):
    drawn = counted_charts(researcher, example.run.pk)

    assert_marks_lead_home(researcher, drawn)


def test_marks_leave_out_what_only_one_of_two_judges_has_seen(
    researcher: Client, example: Example
):
    scored = Trajectory.objects.filter(phase__run=example.run, purpose="collect")
    for field in ("outcome", "reward"):
        for wanted in (1.0, 0.0):
            left = scored.filter(reward=wanted, outcome__isnull=False).first()
            assert left is not None
            Trajectory.objects.filter(pk=left.pk).update(**{field: None})

    drawn = counted_charts(researcher, example.run.pk)

    assert_marks_lead_home(researcher, drawn)


def test_marks_of_several_runs_lead_to_their_own_episodes(
    researcher: Client, example: Example
):
    runs = example.run.pk, example.running_phase.run_id, example.failed_phase.run_id

    assert_marks_lead_home(researcher, counted_charts(researcher, *runs))


def test_endings_add_up_to_all_test_episodes(researcher: Client, example: Example):
    chart = next(
        c for c in counted_charts(researcher, example.run.pk) if c.key == "endings"
    )
    for label in {row.label for row in chart.rows}:
        rows = [row for row in chart.rows if row.label == label]
        assert sum(row.successes or 0 for row in rows) == rows[0].n


def test_what_the_browser_broke_counts_in_no_success_rate(
    researcher: Client, example: Example
):
    before = counted_charts(researcher, example.run.pk)[0].rows
    measured = Trajectory.objects.filter(phase__run=example.run, purpose="evaluate")
    lost = measured.filter(outcome=False).first()
    assert lost is not None
    Trajectory.objects.filter(pk=lost.pk).update(status="failed", outcome=None)
    charts_now = {c.key: c for c in counted_charts(researcher, example.run.pk)}
    after = charts_now["success"].rows
    assert sum(row.n or 0 for row in after) == sum(row.n or 0 for row in before) - 1
    broken = "The site or the browser broke"
    assert [row.successes for row in charts_now["endings"].rows if row.series == broken]


def test_tasks_are_grouped_by_steps_without_a_gap():
    highs = [high for _, high in STEP_GROUPS]
    lows = [low for low, _ in STEP_GROUPS]
    assert lows[0] == 1 and highs[-1] is None
    assert lows[1:] == [high + 1 for high in highs[:-1] if high]


def test_calibration_error_is_the_mean_distance_from_the_truth():
    rows = [
        CalibrationRow(1, "run", 1, 0.15, 10, 3),
        CalibrationRow(1, "run", 8, 0.85, 30, 24),
    ]
    assert expected_calibration_error(rows) == pytest.approx((1.5 + 1.5) / 40)
    assert expected_calibration_error([]) == 0


def test_every_share_says_what_success_is(researcher: Client, example: Example):
    for chart in counted_charts(researcher, example.run.pk):
        said = "Accepted ones" if chart.key == "evolved" else "evaluators|agent"
        assert re.search(said, chart.text)


def test_one_run_shows_all_its_numbers_and_several_the_first(
    researcher: Client, example: Example
):
    def keys(query: str) -> list[str]:
        drawn = researcher.get(f"/charts/?{query}").context["charts"]
        return [chart.key for chart in drawn if chart.key in METRIC_CHARTS]

    one, other = example.run.pk, RunFactory().pk
    assert keys(f"run={one}") == list(METRIC_CHARTS)
    assert keys(f"run={one}&run={other}") == list(FIRST_METRICS)
    chosen = keys(f"run={one}&run={other}&metric=value&metric=nonsense")
    assert chosen == ["value"]


def test_charts_and_example_rows_have_only_numbers_that_training_records():
    drawn = {name for name, _, _ in METRIC_CHARTS.values()}

    assert drawn | set(CURVES) <= set(metric_names.PHASE)


def test_evolved_tasks_add_up_phase_by_phase(researcher: Client, example: Example):
    drawn = counted_charts(researcher, example.run.pk)
    chart = next(chart for chart in drawn if chart.key == "evolved")
    for label in {row.label for row in chart.rows}:
        rows = [row for row in chart.rows if row.label == label]
        assert sum(row.successes or 0 for row in rows) == rows[0].n


def test_a_long_table_leaves_the_rest_to_the_file(researcher: Client, example: Example):
    drawn = researcher.get(f"/charts/?run={example.run.pk}").context["charts"]
    rows = list(drawn[-1].rows) * 100
    long = dataclasses.replace(drawn[-1], rows=rows)
    assert long.is_cut and len(list(long.table())) == TABLE_LINES
    assert len(charts.write_csv(long).splitlines()) == len(rows) + 1


def test_the_page_carries_the_figure_whole(researcher: Client, example: Example):
    example.run.name = "</script><script>alert(1)"
    example.run.save()
    page = researcher.get(f"/charts/?run={example.run.pk}")
    chart, seen = page.context["charts"][0], page.content.decode()
    text = seen.split('id="figure-success" type="application/json">')[1]
    assert json.loads(text.split("</script>")[0]) == chart.figure
    assert chart.figure["data"][0]["name"] == example.run.name


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
    row = OutcomeRow(1, "=cmd()", 1, 1, "evaluate", "shop", "Shop", 4, 2)

    assert "'=cmd()" in charts.write_csv(charts.success_by_phase([row]))


def test_charts_without_numbers_say_so(researcher: Client):
    Trajectory.objects.update(outcome=None)

    assert "No numbers yet" in researcher.get("/charts/").content.decode()


def test_charts_open_on_a_run_that_has_something_to_draw(researcher: Client):
    judged = Trajectory.objects.exclude(purpose="collect")
    judged.update(outcome=None)
    newest = RunFactory()

    [chosen] = researcher.get("/charts/").context["chosen"]

    assert chosen != newest.pk
    assert Trajectory.objects.filter(phase__run=chosen, reward__isnull=False).exists()


@pytest.mark.parametrize(
    ("key", "number", "status", "said"),
    [
        ("success", 1, "planned", "once “Measure the start” begins"),
        ("success", 1, "baseline", "is at “Measure the start”"),
        ("success-by-site", 2, "collecting", "once “Evaluate” begins"),
        ("kl", 1, "collecting", "once “Train critic and policy” begins"),
        ("orm", 1, "scoring", "is at “Score trajectories”"),
        ("orm", 1, "training", ""),
        ("evolved", 1, "review", ""),
    ],
)
def test_an_empty_chart_says_what_a_moving_phase_brings(
    key: str, number: int, status: str, said: str
):
    phase = PhaseFactory.build(number=number, status=status)

    found = say_when(key, phase)

    assert said in found and bool(said) == bool(found)


def test_an_empty_chart_of_a_running_phase_asks_for_no_launch(
    researcher: Client, example: Example
):
    seen = researcher.get(f"/charts/?run={example.running_phase.run_id}&metric=kl")

    text = seen.content.decode()
    assert "once “Train critic and policy” begins" in text
    assert "Launch a phase" not in text


def test_marks_at_the_ends_of_the_axis_are_not_cut(
    researcher: Client, example: Example
):
    for chart in counted_charts(researcher, example.run.pk):
        axes = chart.figure["layout"]
        if axes.get("barmode") != "stack":
            assert axes["yaxis"]["range"][0] < 0 and axes["yaxis"]["range"][1] > 100


def test_a_table_of_one_mark_is_singular(researcher: Client):
    request = researcher.get("/charts/").wsgi_request
    row = VerdictRow(1, "run", 1, 1, true_yes=0, false_yes=0, true_no=5, false_no=0)
    context = {"charts": [charts.orm_accuracy([row])]}

    page = render_to_string("charts/charts.html", context, request)

    assert "Table (1 mark)" in page


def test_a_picture_of_a_chart_names_its_runs_and_the_date(
    researcher: Client, example: Example
):
    seen = researcher.get(f"/charts/?run={example.run.pk}").content.decode()

    today = f"{timezone.localdate():%Y-%m-%d}"
    assert f'data-subtitle="{example.run.name} · {today}"' in seen


def test_an_unknown_chart_is_not_found(researcher: Client):
    assert researcher.get("/charts/nonsense.csv").status_code == 404


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 165, 0.00107, 0.03354),
    ],
)
def test_wilsons_interval_matches_published_values(
    successes: int, n: int, low: float, high: float
):
    share = wilson(successes, n)

    assert share.low == pytest.approx(low, abs=2e-4)
    assert share.high == pytest.approx(high, abs=2e-4)


def test_nothing_tried_is_nothing_known():
    assert wilson(0, 0).rate is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(successes: int, n: int):
    with pytest.raises(ValueError, match="successes out of"):
        wilson(successes, n)


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
