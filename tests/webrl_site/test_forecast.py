from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent
from rollouts.artifacts import store_html
from tests.factories import (
    SMALL,
    PhaseFactory,
    RunFactory,
    StepFactory,
    TrajectoryFactory,
)
from webrl_site.disk_use import forecast_disk
from webrl_site.forecast import Plan, StageForecast, forecast_phase
from webrl_site.run_config import RunConfig

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


def test_the_range_spans_the_fastest_and_the_slowest():
    for seconds in (30, 60, 90):
        past_phase(seconds=seconds, episodes=3)

    stage = collecting(plan())

    assert (stage.low_s, stage.seconds, stage.high_s) == (120, 240, 360)


def test_a_phase_with_other_settings_tells_nothing():
    past_phase(seconds=30, episodes=3)

    assert collecting(plan(contexts=1)).seconds is None


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


def test_disk_is_forecast_from_the_pages_of_an_earlier_phase(settings: Any):
    step = StepFactory(snapshot=store_html(settings.ARTIFACTS_DIR, "<p>page</p>"))

    needed = forecast_disk([step.trajectory.phase], episodes=10)

    assert needed is not None
    assert needed > 0
    assert needed == pytest.approx(
        2 * (forecast_disk([step.trajectory.phase], episodes=5) or 0)
    )


def test_disk_is_unknown_without_recorded_pages():
    assert forecast_disk([PhaseFactory()], episodes=10) is None
