from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent, Run, Task
from curriculum.selectors.pages import list_events
from tests.factories import CheckpointFactory
from tests.seed import Example
from training.models import Checkpoint
from training.services.directory import name_directory
from webrl_site.phases.page import without_old_progress


def test_the_page_shows_how_long_a_stage_took(researcher: Client, example: Example):
    phase = example.review_phase
    moves = [("collecting", 0), ("scoring", 192), ("training", 200)]
    now = timezone.now()
    for status, seconds in moves:
        event = PhaseEvent.objects.create(
            phase=phase, kind="status", data={"status": status}
        )
        moment = now + dt.timedelta(seconds=seconds)
        PhaseEvent.objects.filter(pk=event.pk).update(created_at=moment)

    page = researcher.get(f"/phases/{phase.pk}/").content.decode()
    run = researcher.get(f"/runs/{phase.run_id}/").content.decode()

    assert "took 3 min 12 s" in page and "took 8 s" in page
    assert "3 min 20 s without review" in run


def test_the_page_shows_counts_and_the_failure(researcher: Client, example: Example):
    seen = researcher.get(f"/phases/{example.failed_phase.pk}/").content.decode()

    assert "The sandbox did not answer" in seen
    assert "Resume" in seen


def test_weights_lead_to_their_pages(researcher: Client, example: Example):
    phase = example.closed_phase
    phase.refresh_from_db()
    starter = CheckpointFactory(uri=phase.policy_uri)
    CheckpointFactory(uri=phase.critic_uri, kind="critic")

    page = researcher.get(f"/phases/{phase.pk}/").content.decode()

    assert f'href="/checkpoints/{starter.pk}/">{phase.policy_uri}</a>' in page
    for uri in (phase.critic_uri, phase.next_policy_uri, phase.next_critic_uri):
        made = Checkpoint.objects.get(uri=uri)
        assert f'href="/checkpoints/{made.pk}/">{uri}</a>' in page


def test_weights_that_were_never_written_down_are_no_link(
    researcher: Client, example: Example
):
    page = researcher.get(f"/phases/{example.running_phase.pk}/").content.decode()

    assert '<span class="mono">starter/policy</span>' in page


def test_auto_acceptance_is_said_aloud(researcher: Client, example: Example):
    seen = researcher.get(f"/phases/{example.running_phase.pk}/").content.decode()

    assert "auto-accepted" in seen


def test_the_live_part_comes_alone_for_htmx(researcher: Client, example: Example):
    url = f"/phases/{example.running_phase.pk}/"

    seen = researcher.get(url, headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in seen
    assert "Collect episodes" in seen


def test_stop_and_resume_move_the_phase(researcher: Client, example: Example):
    phase = example.running_phase

    researcher.post(f"/phases/{phase.pk}/stop/")
    phase.refresh_from_db()
    assert phase.status == "stopped"
    researcher.post(f"/phases/{phase.pk}/resume/")
    phase.refresh_from_db()

    assert phase.status == "collecting"


def test_resuming_what_runs_is_refused_in_words(researcher: Client, example: Example):
    url = f"/phases/{example.running_phase.pk}/resume/"

    response = researcher.post(url, follow=True)

    assert [m.level_tag for m in response.context["messages"]] == ["error"]


def test_finishing_the_review_sets_the_rest_aside(researcher: Client, example: Example):
    researcher.post(f"/phases/{example.review_phase.pk}/finish-review/")

    assert not example.review_phase.evolved.filter(status="shortlisted").exists()


def test_an_unknown_phase_is_not_found(researcher: Client):
    assert researcher.get("/phases/99999/").status_code == 404


def test_the_training_log_is_shown_and_escaped(researcher: Client, example: Example):
    folder = name_directory(example.running_phase)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.log").write_text("epoch 1\n<script>alert(1)</script>\n")

    seen = researcher.get(f"/phases/{example.running_phase.pk}/log/?text=SCRIPT")

    assert "&lt;script&gt;alert" in seen.content.decode()
    assert "epoch 1" not in seen.content.decode()


def test_a_phase_that_is_stuck_says_since_when(researcher: Client, example: Example):
    old = timezone.now() - dt.timedelta(hours=3)
    Phase.objects.filter(pk=example.running_phase.pk).update(progressed_at=old)

    seen = researcher.get(f"/phases/{example.running_phase.pk}/")

    assert seen.context["stuck_since"] == old
    assert "no progress since" in seen.content.decode()


def event(kind: str, **data: Any) -> PhaseEvent:
    return PhaseEvent(kind=kind, data=data)


def test_of_a_stages_counts_only_the_newest_is_listed():
    newest = event("progress", stage="collecting", done=3)
    ended = event("episode", trajectory_id=1)
    before = event("progress", stage="collecting", done=2)
    begun = event("status", status="collecting")
    earlier = event("progress", stage="collecting", done=1)

    shown = without_old_progress([newest, ended, before, begun, earlier])

    assert shown == [newest, ended, begun, earlier]


def test_of_a_trainings_numbers_only_the_newest_are_listed():
    newest = event("metric", name="loss", step=3)
    other = event("metric", name="value_loss", step=3)
    before = event("metric", name="loss", step=2)

    assert without_old_progress([newest, other, before]) == [newest, other]


def test_frequent_reports_do_not_hide_what_happened(example: Example):
    phase = example.running_phase
    told = PhaseEvent.objects.create(phase=phase, kind="message", data={"text": "!"})
    PhaseEvent.objects.bulk_create(
        PhaseEvent(phase=phase, kind=kind, data={"stage": "training", "name": "loss"})
        for kind in ("progress", "metric") * 100
    )

    listed = list_events(phase.pk)

    assert told in listed
    assert listed == sorted(listed, key=lambda one: one.pk, reverse=True)


def test_a_planned_phase_says_what_it_waits_for(researcher: Client, example: Example):
    phase = example.failed_phase
    Phase.objects.filter(pk=phase.pk).update(status="planned", failure_reason="")

    seen = researcher.get(f"/phases/{phase.pk}/").content.decode()

    assert "It begins as soon as a worker is free." in seen


def test_a_later_phase_shows_what_the_one_before_measured(
    researcher: Client, example: Example
):
    seen = researcher.get(f"/phases/{example.review_phase.pk}/")

    title, start = seen.context["results"][0]
    assert title == "Before (test tasks)"
    assert start.phase == example.closed_phase
    assert "from phase 1" in seen.content.decode()
    run = researcher.get(f"/runs/{example.run.pk}/")
    assert [row.before.phase.number for row in run.context["rows"]] == [1, 1]


def test_a_share_of_episodes_that_still_run_says_so_everywhere(
    researcher: Client, example: Example
):
    baseline = example.closed_phase.trajectories.filter(purpose="baseline")
    total = baseline.count()
    running = baseline.order_by("pk").values("pk")[:1]
    baseline.filter(pk__in=running).update(status="running", outcome=None)
    Phase.objects.filter(pk=example.review_phase.pk).delete()
    Phase.objects.filter(pk=example.closed_phase.pk).update(status="baseline")
    pages = (f"/phases/{example.closed_phase.pk}/", f"/runs/{example.run.pk}/", "/")

    for url in pages:
        seen = researcher.get(url).content.decode()
        assert f"so far, {total - 1} of {total}" in seen, url


def test_one_task_to_review_is_said_as_one(researcher: Client, example: Example):
    url = f"/phases/{example.review_phase.pk}/"
    waiting = Task.objects.filter(
        born_in=example.review_phase, status=Task.Status.SHORTLISTED
    )
    many = researcher.get(url).content.decode()
    waiting.exclude(pk=waiting[0].pk).delete()

    assert "Review 12 tasks<" in many
    assert "Review 1 task<" in researcher.get(url).content.decode()


@pytest.mark.parametrize(("rewards", "says"), [("evaluators", 1), ("reward_model", 0)])
def test_a_phase_says_where_training_does_not_take_the_reward_model_s_verdicts(
    rewards: str, says: int, researcher: Client, example: Example
):
    config = {**example.run.config, "orm": {"rewards": rewards}}
    Run.objects.filter(pk=example.run.pk).update(config=config)

    page = researcher.get(f"/phases/{example.review_phase.pk}/").content.decode()

    assert page.count("people's verdicts and evaluators' outcomes") == says
