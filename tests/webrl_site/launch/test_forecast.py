from __future__ import annotations

import datetime as dt
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent
from rollouts.artifacts import store, store_html
from tests.factories import (
    SMALL,
    PhaseFactory,
    RunFactory,
    StepFactory,
    TrajectoryFactory,
)
from training.services.directory import name_directory
from webrl_site.launch.disk_use import forecast_disk, measure_weights
from webrl_site.launch.forecast import Plan, StageForecast, forecast_phase
from webrl_site.runs.config import RunConfig

pytestmark = pytest.mark.django_db


def plan(**rollout: Any) -> Plan:
    config = SMALL.to_json()
    config["rollout"] |= rollout
    return Plan(config, "starter/policy", train_tasks=40, test_tasks=5)


def past_phase(seconds: float, episodes: int) -> Phase:
    """A closed phase that collected so many episodes in so many seconds."""
    phase = PhaseFactory(run=RunFactory(), status="closed")
    TrajectoryFactory.create_batch(episodes, phase=phase)
    now = timezone.now()
    for status, moment in (
        ("collecting", now),
        ("scoring", now + dt.timedelta(seconds=seconds)),
        ("training", now + dt.timedelta(seconds=seconds + 1)),
    ):
        event = PhaseEvent.objects.create(
            phase=phase, kind="status", data={"status": status}
        )
        PhaseEvent.objects.filter(pk=event.pk).update(created_at=moment)
    return phase


def collecting(given: Plan) -> StageForecast:
    return next(s for s in forecast_phase(given).stages if s.label.startswith("Coll"))


def test_without_earlier_phases_nothing_is_known():
    forecast = forecast_phase(plan())

    assert forecast.seconds is None
    assert not forecast.is_whole


def test_a_stage_takes_as_long_for_each_episode_as_before():
    past = past_phase(seconds=30, episodes=3)

    stage = collecting(plan())

    assert (stage.units, stage.seconds) == (12, 120)
    assert stage.phases == (past,)


def test_a_later_phase_does_not_measure_its_start():
    first, second = (forecast_phase(plan(), number=n).stages for n in (1, 2))

    assert first[0].label == "Measure the baseline"
    assert second == first[1:]


def test_the_range_spans_the_fastest_and_the_slowest():
    for seconds in (30, 60, 90):
        past_phase(seconds=seconds, episodes=3)

    stage = collecting(plan())

    assert (stage.low_s, stage.seconds, stage.high_s) == (120, 240, 360)


def test_a_phase_with_other_settings_tells_nothing():
    past_phase(seconds=30, episodes=3)

    assert collecting(plan(contexts=1)).seconds is None


def change_contexts(phase: Phase, before: int, seconds: float) -> None:
    """Change a phase's run to one context, so long after it began to collect."""
    began = phase.events.earliest("pk").created_at
    changes = [{"key": "rollout.contexts", "before": str(before), "after": "1"}]
    data = {"by": "researcher", "changes": changes}
    event = PhaseEvent.objects.create(phase=phase, kind="edit", data=data)
    moment = began + dt.timedelta(seconds=seconds)
    PhaseEvent.objects.filter(pk=event.pk).update(created_at=moment)
    phase.run.config["rollout"]["contexts"] = 1
    phase.run.save(update_fields=["config"])


def test_settings_changed_later_were_not_those_of_the_stage():
    change_contexts(past_phase(seconds=30, episodes=3), before=3, seconds=40)

    assert collecting(plan(contexts=1)).seconds is None
    assert collecting(plan(contexts=3)).seconds == 120


def test_settings_changed_before_the_stage_are_those_of_the_stage():
    change_contexts(past_phase(seconds=30, episodes=3), before=3, seconds=-1)

    assert collecting(plan(contexts=1)).seconds == 120
    assert collecting(plan(contexts=3)).seconds is None


def test_a_stage_whose_settings_changed_meanwhile_tells_nothing():
    change_contexts(past_phase(seconds=30, episodes=3), before=3, seconds=10)

    assert collecting(plan(contexts=1)).seconds is None
    assert collecting(plan(contexts=3)).seconds is None


def test_of_several_changes_the_first_after_a_stage_tells_what_it_had():
    past = past_phase(seconds=30, episodes=3)
    change_contexts(past, before=3, seconds=40)
    change_contexts(past, before=8, seconds=50)

    assert collecting(plan(contexts=3)).seconds == 120
    assert collecting(plan(contexts=8)).seconds is None


def test_a_phase_from_other_weights_tells_nothing():
    past_phase(seconds=30, episodes=3)
    other = Plan(SMALL.to_json(), "large/policy", train_tasks=40, test_tasks=5)

    assert collecting(other).seconds is None


def test_a_stage_without_work_takes_no_time():
    config = RunConfig.parse({"curriculum": {"use_curriculum": False}}).to_json()
    forecast = forecast_phase(Plan(config, "starter/policy", 40, 5))

    assert forecast.stages[-1].seconds == 0


def test_fewer_tasks_than_wanted_make_fewer_episodes():
    assert (
        Plan(SMALL.to_json(), "a", train_tasks=3, test_tasks=5).count("collecting") == 3
    )


def kept_page(folder: Path, **trajectory: Any) -> Phase:
    """Return the phase of an episode with a recorded page."""
    row = TrajectoryFactory(**trajectory)
    StepFactory(trajectory=row, snapshot=store_html(folder, "<p>page</p>"))
    phase: Phase = row.phase
    return phase


def needed(phase: Phase, episodes: int = 10, **rollout: Any) -> float:
    found = forecast_disk([phase], episodes, rollout)
    assert found is not None
    return found.bytes


def test_disk_is_forecast_from_the_pages_of_an_earlier_phase(settings: Any):
    phase = kept_page(settings.ARTIFACTS_DIR)

    assert needed(phase) > 0
    assert needed(phase) == pytest.approx(2 * needed(phase, episodes=5))


def test_traces_are_forecast_for_the_episodes_that_keep_one(settings: Any):
    folder = settings.ARTIFACTS_DIR
    trace = store(folder, b"t" * 1000, ".zip")
    ended = {"status": "finished", "ended_by": "exit"}
    phase = kept_page(folder, trace=trace, outcome=False, **ended)
    for _ in range(3):
        TrajectoryFactory(phase=phase, outcome=True, **ended)

    without = needed(phase)

    assert needed(phase, traces="all") - without == pytest.approx(10 * 1000)
    assert needed(phase, traces="failures") - without == pytest.approx(2500)


def test_pictures_are_forecast_by_their_share(settings: Any):
    folder = settings.ARTIFACTS_DIR
    picture = store(folder, b"p" * 500, ".jpg")
    phase = kept_page(folder, final_screenshot=picture)

    share = needed(phase, screenshot_share=0.2) - needed(phase)

    assert share == pytest.approx(0.2 * 10 * 500)


def test_a_forecast_names_what_nobody_has_kept_yet(settings: Any):
    phase = kept_page(settings.ARTIFACTS_DIR)

    found = forecast_disk([phase], 10, {"traces": "all"})

    assert found is not None
    assert found.uncounted == ("Traces",)


def test_disk_is_unknown_without_recorded_pages():
    assert forecast_disk([PhaseFactory()], 10, {}) is None


def test_weights_of_a_running_training_are_measured(tmp_path: Path, settings: Any):
    """It renames and removes folders at each of its checkpoints."""
    settings.CHECKPOINTS_DIR = tmp_path
    phase, is_measured = PhaseFactory(status="training"), threading.Event()
    steps = name_directory(phase) / "policy.training"
    steps.mkdir(parents=True)
    (steps.parent / "spec.json").write_bytes(b"{}")

    def save_checkpoints() -> None:
        while not is_measured.is_set():
            (steps / ".saving").mkdir()
            (steps / ".saving").rename(steps / "checkpoint-1")
            shutil.rmtree(steps / "checkpoint-1")

    with ThreadPoolExecutor(1) as elsewhere:
        saving = elsewhere.submit(save_checkpoints)
        try:
            found = {measure_weights(phase) for _ in range(500)}
        finally:
            is_measured.set()
        saving.result()

    assert found == {2}
