from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from curriculum import services
from curriculum.errors import (
    CheckpointError,
    PhaseConflict,
    PhaseStateError,
    StageLost,
    WorkbenchError,
)
from curriculum.models import Phase, PhaseEvent, Run
from tests.factories import PhaseFactory, RunFactory, TaskFactory, UserFactory

pytestmark = pytest.mark.django_db


def make_run(**changes: Any) -> Run:
    return services.create_run(**{"name": "a", "config": {}, "seed": 1, **changes})


@pytest.mark.parametrize(
    "changes", [{"name": " "}, {"name": "x" * 101}, {"seed": -1}, {"seed": 2**63}]
)
def test_a_run_with_a_bad_name_or_seed_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(WorkbenchError):
        make_run(**changes)
    assert not Run.objects.exists()


def test_a_name_is_taken_once() -> None:
    make_run()

    with pytest.raises(WorkbenchError, match="already"):
        make_run()


@pytest.mark.parametrize("kind", ["policy", "critic", "orm"])
def test_a_run_from_weights_that_are_not_there_is_refused(kind: str) -> None:
    with pytest.raises(CheckpointError, match="nowhere"):
        make_run(**{f"{kind}_uri": "nowhere/policy"})
    assert not Run.objects.exists()


SERVED = "http://models.example/v1#model"


def test_a_served_reward_model_is_refused() -> None:
    with pytest.raises(CheckpointError, match="a reward model must be in a folder"):
        make_run(orm_uri=SERVED)
    assert not Run.objects.exists()


def test_beside_a_served_policy_a_reward_model_may_be_served() -> None:
    TaskFactory()
    run = make_run(policy_uri=SERVED, orm_uri=SERVED)

    phase = services.open_phase(run_id=run.pk)

    services.set_next_orm(phase_id=phase.pk, uri=SERVED)


def test_no_phase_is_judged_by_a_served_reward_model() -> None:
    TaskFactory()
    phase = services.open_phase(run_id=make_run().pk)

    with pytest.raises(CheckpointError, match="a reward model must be in a folder"):
        services.set_next_orm(phase_id=phase.pk, uri=SERVED)

    phase.refresh_from_db()
    assert not phase.next_orm_uri


def test_a_run_of_earlier_with_a_served_reward_model_opens_no_phase() -> None:
    TaskFactory()
    run = RunFactory(orm_uri=SERVED)

    with pytest.raises(CheckpointError, match="a reward model must be in a folder"):
        services.open_phase(run_id=run.pk)
    assert not Phase.objects.exists()


def test_phases_are_numbered_and_carry_the_weights_on() -> None:
    TaskFactory()
    run = make_run()
    first = services.open_phase(run_id=run.pk)
    Phase.objects.update(status="closed", next_policy_uri="starter/orm")
    second = services.open_phase(run_id=run.pk)

    assert (first.number, second.number) == (1, 2)
    assert second.policy_uri == "starter/orm"
    assert second.critic_uri == "starter/critic"


@pytest.mark.parametrize("status", ["planned", "collecting", "stopped", "failed"])
def test_a_second_launch_says_which_phase_is_open(status: str) -> None:
    TaskFactory()
    run = make_run()
    first = services.open_phase(run_id=run.pk)
    Phase.objects.update(status=status)

    with pytest.raises(PhaseConflict) as caught:
        services.open_phase(run_id=run.pk)

    assert caught.value.phase_id == first.pk
    assert Phase.objects.count() == 1


def test_the_database_itself_allows_one_open_phase() -> None:
    phase = PhaseFactory()

    with pytest.raises(IntegrityError), transaction.atomic():
        PhaseFactory(run=phase.run, number=2)


def test_a_phase_needs_tasks() -> None:
    with pytest.raises(WorkbenchError, match="no training tasks"):
        services.open_phase(run_id=make_run().pk)


def test_only_the_first_of_two_moves_counts() -> None:
    phase = PhaseFactory()
    moves = [
        services.move_phase(phase_id=phase.pk, before="planned", after=after)
        for after in ("collecting", "baseline")
    ]

    assert moves == [True, False]
    assert PhaseEvent.objects.filter(kind="status").count() == 1


def test_stop_and_resume_go_back_to_the_same_stage() -> None:
    person = UserFactory(username="eva")
    phase = PhaseFactory(status="training")

    stopped = services.stop_phase(phase_id=phase.pk, by=person)
    assert (stopped.status, stopped.resume_status) == ("stopped", "training")
    resumed = services.resume_phase(phase_id=phase.pk, by=person)
    assert (resumed.status, resumed.resume_status) == ("training", "")
    reasons = [event.data["reason"] for event in PhaseEvent.objects.all()]
    assert reasons == ["Stopped by eva.", "Resumed by eva."]


def test_a_failure_keeps_its_reason_until_the_resume() -> None:
    phase = PhaseFactory(status="scoring")
    services.fail_phase(phase_id=phase.pk, stage="scoring", reason="no model")
    phase.refresh_from_db()
    assert phase.failure_reason == "no model"

    assert services.resume_phase(phase_id=phase.pk, by=None).failure_reason == ""


@pytest.mark.parametrize("status", ["closed", "stopped", "failed"])
def test_what_does_not_move_cannot_be_stopped(status: str) -> None:
    phase = PhaseFactory(status=status)

    with pytest.raises(PhaseStateError):
        services.stop_phase(phase_id=phase.pk, by=None)


@pytest.mark.parametrize("status", ["closed", "collecting"])
def test_what_moves_or_is_closed_cannot_be_resumed(status: str) -> None:
    phase = PhaseFactory(status=status)

    with pytest.raises(PhaseStateError):
        services.resume_phase(phase_id=phase.pk, by=None)


def claim(phase: Phase, owner: str = "one") -> services.StageLease | None:
    return services.claim_stage(
        phase_id=phase.pk, stage="training", owner=owner, lease_s=10
    )


def test_a_stage_is_claimed_once() -> None:
    phase = PhaseFactory(status="training")

    assert claim(phase) is not None
    assert claim(phase, "two") is None


def test_a_stage_is_not_claimed_for_another_status() -> None:
    assert claim(PhaseFactory(status="evolving")) is None


def test_a_silent_stage_goes_to_the_next_and_the_old_token_is_void(
    settings: Any,
) -> None:
    settings.LEASE_S = 0
    phase = PhaseFactory(status="training")
    old = claim(phase)
    assert old is not None
    assert services.expire_stages() == [phase.pk]
    new = claim(phase, "two")

    assert new is not None
    assert Phase.objects.get(pk=phase.pk).work_attempt == 1
    assert not services.renew_stage(lease=old, lease_s=10)
    assert not services.release_stage(lease=old)
    assert services.renew_stage(lease=new, lease_s=10)


def test_a_stopped_phase_can_no_longer_be_renewed() -> None:
    phase = PhaseFactory(status="training")
    lease = claim(phase)
    assert lease is not None
    services.stop_phase(phase_id=phase.pk, by=None)

    assert not services.renew_stage(lease=lease, lease_s=10)


def test_nothing_is_written_under_a_lost_lease() -> None:
    phase = PhaseFactory(status="training")
    with services.working_on(phase_id=phase.pk, stage="training", owner="x") as beat:
        assert beat is not None
        Phase.objects.update(work_token="another")
        with pytest.raises(StageLost), services.writing_under(beat):
            RunFactory(name="never")

    assert not Run.objects.filter(name="never").exists()


def test_a_block_gives_the_stage_back_even_after_an_error() -> None:
    phase = PhaseFactory(status="training")
    with (
        pytest.raises(ZeroDivisionError),
        services.working_on(phase_id=phase.pk, stage="training", owner="x"),
    ):
        raise ZeroDivisionError

    assert claim(phase) is not None


def test_an_error_after_the_stage_was_lost_does_not_count_against_it() -> None:
    phase = PhaseFactory(status="training")
    with (
        pytest.raises(StageLost),
        services.working_on(phase_id=phase.pk, stage="training", owner="x"),
    ):
        Phase.objects.update(work_token="another")
        raise ZeroDivisionError

    phase.refresh_from_db()
    assert (phase.status, phase.work_token) == ("training", "another")


def test_a_wakeup_is_claimed_at_most_every_so_often() -> None:
    phase = PhaseFactory(status="training")

    def claim() -> bool:
        return services.claim_wakeup(phase_id=phase.pk, status="training", after_s=10)

    assert [claim(), claim()] == [True, False]
    with time_machine.travel(timezone.now() + dt.timedelta(seconds=11)):
        assert claim()
    services.forget_wakeup(phase_ids=[phase.pk])
    assert claim()
