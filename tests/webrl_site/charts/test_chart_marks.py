from __future__ import annotations

import re

from django.test import Client

from rollouts.models import Trajectory
from tests.seed import Example
from webrl_site.charts import Chart


def counted_charts(client: Client, *run_ids: int) -> list[Chart]:
    asked = "&".join(f"run={pk}" for pk in run_ids)
    drawn = client.get(f"/charts/?{asked}").context["charts"]
    return [chart for chart in drawn if chart.is_share]


def assert_marks_lead_home(client: Client, drawn: list[Chart]) -> None:
    for chart in drawn:
        assert chart.rows, chart.key
        is_part = chart.key in ("endings", "error-types", "evolved")
        counts = "successes" if is_part else "n"
        for row in chart.rows:
            seen = client.get(row.url).context
            count = seen["behind"] if "behind" in seen else seen["page"].count
            assert count == getattr(row, counts), (chart.key, row)


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


def test_marks_at_the_ends_of_the_axis_are_not_cut(
    researcher: Client, example: Example
):
    for chart in counted_charts(researcher, example.run.pk):
        axes = chart.figure["layout"]
        if axes.get("barmode") != "stack":
            assert axes["yaxis"]["range"][0] < 0 and axes["yaxis"]["range"][1] > 100


def test_every_share_says_what_success_is(researcher: Client, example: Example):
    for chart in counted_charts(researcher, example.run.pk):
        said = "Accepted ones" if chart.key == "evolved" else "evaluators|agent"
        assert re.search(said, chart.text)


def test_evolved_tasks_add_up_phase_by_phase(researcher: Client, example: Example):
    drawn = counted_charts(researcher, example.run.pk)
    chart = next(chart for chart in drawn if chart.key == "evolved")
    for label in {row.label for row in chart.rows}:
        rows = [row for row in chart.rows if row.label == label]
        assert sum(row.successes or 0 for row in rows) == rows[0].n
