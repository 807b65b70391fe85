from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase, Run
from tests.factories import PhaseFactory, RunFactory, TrajectoryFactory
from tests.seed import Example
from webrl_site.launch.forms import RunForm
from webrl_site.runs.config import PRESETS, SECTIONS, RunConfig


def form_data(
    preset: str = "starter", parent: Any = None, **changes: object
) -> dict[str, object]:
    """Return what the browser sends when nothing was changed."""
    form = RunForm(preset=preset, parent=parent)
    values = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in values.items() if value is not None}
    sent = {k: "on" if v is True else v for k, v in sent.items() if v is not False}
    return sent | {"name": "fresh"} | changes


def test_the_form_has_a_field_for_every_setting():
    expected = {
        f"{section}.{field.name}"
        for section, config in SECTIONS.items()
        for field in dataclasses.fields(config)
    }

    assert expected <= set(RunForm().fields)


@pytest.mark.parametrize("preset", PRESETS)
def test_an_untouched_form_makes_exactly_the_preset(preset: str, researcher: Client):
    url = f"/runs/new/?preset={preset}"

    # Weights of a preset that have to be brought first are not here.
    here = {"policy_uri": "starter/policy", "critic_uri": "starter/critic"}
    response = researcher.post(url, form_data(preset) | here)

    run = Run.objects.get(name="fresh")
    assert response["Location"] == f"/runs/{run.pk}/"
    assert run.config == RunConfig.parse(PRESETS[preset]).to_json()


def test_a_preset_may_start_from_other_weights(researcher: Client):
    form = researcher.get("/runs/new/?preset=pretrained").context["form"]

    assert form["policy_uri"].initial == "clone-pretrained/policy"
    assert form["critic_uri"].initial == "smollm2/base"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "required"),
        ({"algorithm.beta": "99"}, "less than or equal to 10"),
        ({"rollout.contexts": "1.5"}, "whole number"),
        ({"algorithm.objective": "nonsense"}, "nonsense"),
        ({"curriculum.value_low": "0.9"}, "must not exceed"),
        ({"policy_uri": "no/such/weights"}, "no/such/weights"),
    ],
)
def test_a_wrong_setting_is_named_and_nothing_is_created(
    changes: dict[str, Any], message: str, researcher: Client
):
    response = researcher.post("/runs/new/", form_data(**changes))

    assert response.status_code == 200
    assert message in response.content.decode()
    assert not Run.objects.filter(name="fresh").exists()


def test_an_unknown_preset_shows_the_papers_numbers(researcher: Client):
    assert researcher.get("/runs/new/?preset=zzz").status_code == 200


def test_launching_opens_the_next_phase(researcher: Client, closed_phase: Phase):
    response = researcher.post(f"/runs/{closed_phase.run_id}/phases/")

    phase = Phase.objects.get(run=closed_phase.run_id, number=3)
    assert response["Location"] == f"/phases/{phase.pk}/"


def test_a_launch_asks_first_and_says_how_many_tasks(
    researcher: Client, closed_phase: Phase
):
    seen = researcher.get(f"/runs/{closed_phase.run_id}/").content.decode()

    [question] = re.findall(r'data-confirm="([^"]*)"', seen)
    # Ten seed tasks and six that were accepted.
    assert "Launch phase 3 with 16 tasks?" in question
    assert "how long it takes" in question


def test_a_run_is_created_and_launched_in_one_step(researcher: Client):
    response = researcher.post("/runs/new/", form_data(launch="yes"))

    phase = Phase.objects.get(run__name="fresh")
    assert response["Location"] == f"/phases/{phase.pk}/"


def test_a_second_launch_leads_to_the_open_phase(researcher: Client, example: Example):
    response = researcher.post(f"/runs/{example.run.pk}/phases/", follow=True)

    assert response.redirect_chain[-1][0] == f"/phases/{example.review_phase.pk}/"
    assert [m.level_tag for m in response.context["messages"]] == ["error"]
    assert Phase.objects.filter(run=example.run).count() == 2


def test_the_run_page_marks_what_differs_from_the_paper(
    researcher: Client, example: Example
):
    sections = researcher.get(f"/runs/{example.run.pk}/").context["sections"]

    differing = {s.name for rows in sections.values() for s in rows if s.differs}
    assert "tasks_per_phase" in differing
    assert "gae_lambda" not in differing


@pytest.mark.parametrize(
    ("rewards", "solved"), [("reward_model", 2), ("evaluators", 3)]
)
def test_the_run_page_counts_successes_as_the_run_trains_on_them(
    rewards: str, solved: int, researcher: Client
):
    run = RunFactory(config={"orm": {"rewards": rewards}})
    phase = PhaseFactory(run=run, number=1, status="closed")
    judged = ((0, True), (0, True), (1, False), (1, None), (0, None))
    for reward, outcome in judged:
        TrajectoryFactory(
            phase=phase, purpose="collect", reward=reward, outcome=outcome
        )

    page = researcher.get(f"/runs/{run.pk}/").content.decode()

    assert f"{solved} solved" in page


def test_the_page_of_a_run_with_a_setting_that_is_gone_opens(researcher: Client):
    run = RunFactory(config={"orm": {"rewards": "evaluators", "gone": 1}})
    TrajectoryFactory(phase=PhaseFactory(run=run, number=1), reward=0, outcome=True)

    assert researcher.get(f"/runs/{run.pk}/").status_code == 200
    assert researcher.get(f"/runs/{run.pk}/attempts/").status_code == 200


def test_the_list_says_what_the_newest_measured_phase_has_brought(
    researcher: Client, example: Example
):
    rows = researcher.get("/runs/").context["rows"]

    found = {row.run.name: row for row in rows}
    row = found["first-light"]
    assert row.before.phase == example.closed_phase
    assert row.after.phase == example.review_phase
    assert row.after.proportion.n == 5
    assert row.moved_at is not None
    assert found["no-replay"].after is None


def test_runs_can_be_sorted_where_the_table_has_no_head(
    researcher: Client, example: Example
):
    Run.objects.update(tags=" a ")
    seen = researcher.get("/runs/?tag=a&before=99&sort=date").content.decode()
    seen = seen.partition('class="sorts')[2].partition("</nav>")[0]

    assert '"?tag=a"' in seen
    assert '"?tag=a&amp;sort=success"' in seen
    assert '"?tag=a&amp;sort=date" aria-current="true"' in seen


def test_the_list_is_sorted_by_success_and_by_the_last_event(
    researcher: Client, example: Example
):
    by_success = researcher.get("/runs/?sort=success").context["rows"]
    by_date = researcher.get("/runs/?sort=date").context["rows"]

    assert by_success[0].run == example.run
    moments = [row.moved_at for row in by_date]
    assert moments == sorted(moments, reverse=True)


def test_an_order_that_nobody_knows_is_the_newest_first(researcher: Client):
    rows = researcher.get("/runs/?sort=<x>").context["rows"]

    assert [row.run.pk for row in rows] == sorted(
        (row.run.pk for row in rows), reverse=True
    )


@pytest.mark.parametrize("query", ["", "?run=1", "?run=1&run=1"])
def test_fewer_than_two_runs_lead_back_to_the_list(query: str, researcher: Client):
    seen = researcher.get(f"/runs/compare/{query}").content.decode()

    assert "Choose two or more runs" in seen
    assert 'href="/runs/"' in seen


@pytest.mark.parametrize("query", ["?tag=gone", "?before=1"])
def test_an_empty_part_of_the_list_does_not_say_that_there_are_no_runs(
    query: str, researcher: Client
):
    RunFactory()

    page = researcher.get(f"/runs/{query}").content.decode()

    assert "No runs yet" not in page
    assert "No matching runs" in page


def test_a_list_without_runs_says_how_to_begin(researcher: Client):
    Run.objects.all().delete()

    assert "No runs yet" in researcher.get("/runs/").content.decode()
