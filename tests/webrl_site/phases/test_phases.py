from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent, Run, Task
from rollouts.selectors.pages import PurposeCounts
from tests.factories import CheckpointFactory
from tests.seed import Example
from training.models import Checkpoint, TrainingRun
from training.services.directory import name_directory
from webrl_site.phases.page import without_old_progress
from webrl_site.phases.progress import ORDER, Lately, PhaseFacts, Stage, list_stages


def facts(
    status: str, *, number: int = 1, resume: str = "", **given: Any
) -> PhaseFacts:
    now = timezone.now()
    phase = Phase(
        run=Run(config={"algorithm": {"beta": 1.0}}),
        number=number,
        status=status,
        resume_status=resume,
        served_uri="http://models.example/v1#m",
        stage_started_at=now - dt.timedelta(minutes=2),
        work_leased_until=now + dt.timedelta(seconds=10),
    )
    values: dict[str, Any] = {
        "by_purpose": {},
        "evolved": {},
        "training": None,
        "progress": {},
    }
    return PhaseFacts(phase=phase, now=now, **(values | given))


@pytest.mark.parametrize("status", ORDER)
def test_stages_before_are_done_and_stages_after_wait(status: str):
    states = [stage.state for stage in list_stages(facts(status))]

    position = ORDER.index(status)
    assert states[position] == "current"
    assert set(states[:position]) <= {"done"}
    assert set(states[position + 1 :]) <= {"waiting"}


def test_a_closed_phase_has_done_everything():
    assert {stage.state for stage in list_stages(facts("closed"))} == {"done"}


@pytest.mark.parametrize("status", ["stopped", "failed"])
def test_a_halted_phase_shows_where(status: str):
    stages = list_stages(facts(status, resume="training"))

    assert [s.state for s in stages][3] == status


def test_a_later_phase_passes_the_baseline():
    assert list_stages(facts("collecting", number=2))[0].state == "passed"


def test_the_time_left_follows_from_the_rate():
    counts = PurposeCounts(total=40, ended=10)

    stage = list_stages(facts("collecting", by_purpose={"collect": counts}))[1]

    assert (stage.done, stage.total) == (10, 40)
    assert stage.per_minute == pytest.approx(5, rel=0.01)
    assert stage.seconds_left == pytest.approx(360, rel=0.01)


def test_only_a_finished_stage_says_how_long_it_took():
    seconds = {"collecting": 90.0, "scoring": 5.0, "training": 7.0}

    stages = list_stages(facts("training", seconds=seconds))

    assert [stage.seconds for stage in stages[:4]] == [None, 90.0, 5.0, None]


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


def test_a_forecast_that_the_job_gave_is_believed():
    progress = {"stage": "scoring", "seconds_left": 7.0}

    stage = list_stages(facts("scoring", progress=progress))[2]

    assert stage.seconds_left == 7.0


@pytest.mark.parametrize("status", ["scoring", "training", "evolving"])
@pytest.mark.parametrize("lease_ago_s", [None, 1])
def test_a_stage_that_nobody_works_on_forecasts_nothing(
    status: str, lease_ago_s: int | None
):
    told = {"stage": status, "done": 6, "total": 10, "seconds_left": 12.0}
    training = TrainingRun(status="running", config={"beta": 1.0}, progress=told)
    given = facts(status, progress=told, training=training)
    given.phase.work_leased_until = (
        given.now - dt.timedelta(seconds=lease_ago_s) if lease_ago_s else None
    )

    (stage,) = [one for one in list_stages(given) if one.state == "current"]

    assert stage.note == "waits for a worker"
    assert (stage.per_minute, stage.seconds_left) == (None, None)


def test_a_phase_that_waits_for_a_model_is_not_forecast():
    counts = PurposeCounts(total=40, ended=30)
    lately = {"by_purpose": {"collect": counts}, "lately": Lately(30, 300.0)}
    given = facts("collecting", **lately)
    given.phase.waits_until = given.now + dt.timedelta(minutes=5)

    stage = list_stages(given)[1]

    assert stage.note == "waits for a model's server"
    assert (stage.done, stage.seconds_left) == (30, None)


def test_episodes_that_stopped_ending_are_not_forecast():
    counts = PurposeCounts(total=40, ended=30)
    told = {"stage": "collecting", "seconds_left": 12.0}
    given = {"by_purpose": {"collect": counts}, "lately": Lately(0, 300.0)}

    stage = list_stages(facts("collecting", progress=told, **given))[1]

    assert (stage.per_minute, stage.seconds_left) == (None, None)


def training_stage(
    part: str, *, phase: str = "training", config: Any = None, **fields: Any
) -> Stage:
    """The training's stage where it has done 6 of 10, at `part`, with 12 s left."""
    progress = {"stage": part, "done": 6, "total": 10, "seconds_left": 12.0}
    values = {"status": "running", "progress": progress, "config": {"beta": 1.0}}
    training = TrainingRun(**(values | fields))
    given = facts(phase, training=training)
    given.phase.run.config |= config or {}
    return list_stages(given)[3]


@pytest.mark.parametrize(
    ("part", "unit", "note"),
    [
        ("critic", "updates", "part 1 of 5: critic"),
        ("reference", "steps", "part 3 of 5: probabilities under the old policy"),
        ("policy", "updates", "part 4 of 5: policy"),
    ],
)
def test_a_training_says_its_part_and_what_it_counts(part: str, unit: str, note: str):
    stage = training_stage(part)

    assert (stage.done, stage.total, stage.unit) == (6, 10, unit)
    assert stage.note == note
    assert (stage.per_minute, stage.seconds_left, stage.is_part) == (20, 12.0, True)


def test_the_time_left_of_the_last_part_is_that_of_the_stage():
    learns = {"orm": {"learn_from_people": True}}

    assert not training_stage("ratios").is_part
    assert training_stage("ratios", config=learns).is_part
    assert not training_stage("after", config=learns).is_part


def test_a_training_that_begins_anew_has_done_nothing_and_waits_for_a_worker():
    stage = training_stage("critic", status="queued", config={"algorithm": {"beta": 2}})

    assert (stage.done, stage.total, stage.note) == (0, None, "waits for a worker")
    assert (stage.per_minute, stage.seconds_left) == (None, None)


def test_a_training_that_goes_on_keeps_its_count_and_waits_for_a_worker():
    stage = training_stage("critic", status="queued")

    assert (stage.done, stage.total, stage.note) == (6, 10, "waits for a worker")
    assert (stage.per_minute, stage.seconds_left) == (None, None)


def test_a_halted_training_forecasts_nothing():
    values = {"status": "queued", "config": {"beta": 1.0}, "progress": {"done": 6}}
    given = facts("stopped", resume="training", training=TrainingRun(**values))

    stage = list_stages(given)[3]

    assert (stage.done, stage.note, stage.seconds_left) == (6, "", None)


def test_a_review_without_a_decision_has_no_tick():
    review = list_stages(facts("closed", evolved={"left": 19, "filtered": 3}))[-1]

    assert (review.state, review.note) == ("passed", "19 left undecided")


def test_a_review_with_decisions_is_done():
    review = list_stages(facts("closed", evolved={"left": 14, "accepted": 5}))[-1]

    assert (review.state, review.done, review.total) == ("done", 5, 19)


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


def test_the_rate_of_a_stage_that_was_resumed_is_that_of_the_last_minutes():
    counts = PurposeCounts(total=40, ended=30)
    given = {"by_purpose": {"collect": counts}, "lately": Lately(4, 60.0)}

    stage = list_stages(facts("collecting", **given))[1]

    assert (stage.per_minute, stage.seconds_left) == (4, 150)


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
