"""What a phase's stages say: done, current or waiting, and the time left."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Phase, Run
from rollouts.selectors.pages import PurposeCounts
from training.models import TrainingRun
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

    assert stage.note == "waits for its next attempt"
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


def test_the_rate_of_a_stage_that_was_resumed_is_that_of_the_last_minutes():
    counts = PurposeCounts(total=40, ended=30)
    given = {"by_purpose": {"collect": counts}, "lately": Lately(4, 60.0)}

    stage = list_stages(facts("collecting", **given))[1]

    assert (stage.per_minute, stage.seconds_left) == (4, 150)
