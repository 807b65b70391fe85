from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from curriculum.events import ProgressEvent, publish
from curriculum.models import Phase
from curriculum.services import move_phase
from rollouts.models import Step, Trajectory
from tests.factories import PhaseFactory, StepFactory, TrajectoryFactory
from webrl_site.home.page import describe_home
from webrl_site.loop.stuck import find_stuck

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - dt.timedelta(hours=2)


def quiet_phase(status: str = "collecting") -> Phase:
    phase = PhaseFactory(status=status, stage_started_at=LONG_AGO)
    Phase.objects.filter(pk=phase.pk).update(
        progressed_at=LONG_AGO, progress_mark="collecting 3"
    )
    return Phase.objects.get(pk=phase.pk)


def say(phase: Phase, done: int) -> Phase:
    publish(phase.pk, ProgressEvent(stage="collecting", done=done, total=9))
    return Phase.objects.get(pk=phase.pk)


def test_a_phase_without_progress_is_stuck_since_its_last():
    phase = quiet_phase()

    assert find_stuck([phase]) == {phase.pk: LONG_AGO}


def test_saying_the_same_again_is_no_progress():
    phase = say(quiet_phase(), done=3)

    assert phase.pk in find_stuck([phase])


def test_a_count_that_changes_is_progress():
    assert find_stuck([say(quiet_phase(), done=4)]) == {}


def test_a_new_stage_is_progress():
    phase = quiet_phase()
    move_phase(phase_id=phase.pk, before="collecting", after="scoring")

    assert find_stuck([Phase.objects.get(pk=phase.pk)]) == {}


def test_a_phase_that_a_server_asked_to_wait_is_not_stuck():
    phase = quiet_phase()
    phase.waits_until = timezone.now() - dt.timedelta(seconds=1)

    assert find_stuck([phase]) == {}


def test_a_step_of_a_running_episode_is_progress():
    phase = quiet_phase()
    row = TrajectoryFactory(phase=phase, status="running", ended_by="")
    StepFactory(trajectory=row)

    assert find_stuck([phase]) == {}


def test_an_old_step_moves_only_since_when():
    phase = quiet_phase()
    row = TrajectoryFactory(phase=phase, status=Trajectory.Status.RUNNING, ended_by="")
    later = LONG_AGO + dt.timedelta(minutes=5)
    Step.objects.filter(pk=StepFactory(trajectory=row).pk).update(created_at=later)

    assert find_stuck([phase]) == {phase.pk: later}


@pytest.mark.parametrize("status", ["review", "stopped", "failed", "closed"])
def test_a_phase_that_need_not_move_is_never_stuck(status: str):
    assert find_stuck([quiet_phase(status)]) == {}


def test_home_puts_a_stuck_phase_first():
    phase = quiet_phase()

    home = describe_home(reader_id=0, is_researcher=True)

    assert phase.pk in home["stuck"]
    assert "stuck" in home["action"].title
