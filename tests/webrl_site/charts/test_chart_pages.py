from __future__ import annotations

import csv
import dataclasses
import io
import json

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone, translation

from rollouts.models import Trajectory
from rollouts.selectors.chart_rows import (
    VerdictRow,
)
from tests.factories import PhaseFactory, RunFactory
from tests.seed import Example
from webrl_site import charts
from webrl_site.charts import FIRST_METRICS, METRIC_CHARTS
from webrl_site.charts.awaited import say_when
from webrl_site.charts.chart import TABLE_LINES
from webrl_site.templatetags.charts import table_lines


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
        ("success", 1, "planned", "once “Measure the baseline” begins"),
        ("success", 1, "baseline", "is at “Measure the baseline”"),
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


def test_a_table_of_one_mark_is_singular(researcher: Client):
    request = researcher.get("/charts/").wsgi_request
    row = VerdictRow(1, "run", 1, 1, 0, 0, 5, 0, tasks=5, yes_tasks=0, solved_tasks=0)
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


@pytest.mark.parametrize(("language", "number"), [("en", "12.5"), ("es", "12,5")])
def test_a_table_has_the_decimal_sign_of_its_reader(language: str, number: str):
    rows = [charts.Row("Run", "Phase 1.2", 12.5, "/", n=8, successes=1, low=0, high=1)]
    chart = charts.Chart("key", "Title", "", rows, {}, is_share=True)
    with translation.override(language):
        lines = table_lines(chart)
    assert f'<td class="number">{number}</td>' in lines
    assert "Phase 1.2" in lines


def test_a_table_writes_shares_to_a_tenth():
    rows = [charts.Row("Run", "Start", 100 / 3, "/", n=3, successes=1, low=0, high=80)]
    share = charts.Chart("key", "Title", "", rows, {}, is_share=True)
    value = dataclasses.replace(share, is_share=False)
    assert '<td class="number">33.3</td>' in table_lines(share)
    # 49 of 400, as its mark says.
    halfway = dataclasses.replace(
        share, rows=[dataclasses.replace(rows[0], value=12.25)]
    )
    assert '<td class="number">12.3</td>' in table_lines(halfway)
    assert '<td class="number">33.333333</td>' in table_lines(value)
