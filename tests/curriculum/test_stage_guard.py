from __future__ import annotations

import errno

import pytest
from django.db import DataError, OperationalError

from curriculum import services
from curriculum.errors import CheckpointError, EndpointDown, StageLost
from curriculum.models import Phase
from curriculum.rules.stopping import STOPPING
from curriculum.services.stage_guard import failing_phase, name_owner
from tests.factories import PhaseFactory

pytestmark = pytest.mark.django_db


def fail_with(error: Exception) -> Phase:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    with failing_phase(phase.pk) as status:
        assert status == "scoring"
        raise error
    phase.refresh_from_db()
    return phase


def test_what_a_person_can_act_on_is_kept_word_for_word() -> None:
    phase = fail_with(CheckpointError("There is no checkpoint 'x'."))

    assert phase.status == Phase.Status.FAILED
    assert phase.failure_reason == "There is no checkpoint 'x'."


def test_an_accident_is_kept_with_its_kind() -> None:
    assert fail_with(ValueError("odd")).failure_reason == "ValueError: odd"


def test_a_value_that_the_database_refuses_is_named() -> None:
    phase = fail_with(DataError("value too long for type character varying(200)"))

    assert phase.status == Phase.Status.FAILED
    assert phase.failure_reason.startswith("The database refused a value: value too")


@pytest.mark.parametrize("error", [OperationalError("locked"), StageLost("taken")])
def test_what_the_next_job_can_do_again_is_no_failure(error: Exception) -> None:
    assert fail_with(error).status == Phase.Status.SCORING


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        OperationalError("database or disk is full"),
        RuntimeError("Traceback ...\nOSError: [Errno 28] No space left on device"),
    ],
)
def test_a_full_disk_is_no_failure(error: Exception) -> None:
    assert fail_with(error).status == Phase.Status.SCORING


def test_an_error_that_a_full_disk_led_to_is_no_failure() -> None:
    try:
        raise OSError(errno.ENOSPC, "No space left on device")
    except OSError as cause:
        error = ValueError("the page was not stored")
        error.__cause__ = cause

    assert fail_with(error).status == Phase.Status.SCORING


def test_an_outage_of_a_model_is_no_failure_and_no_attempt() -> None:
    phase = PhaseFactory(status=Phase.Status.EVOLVING, work_attempt=7)
    with failing_phase(phase.pk):
        raise EndpointDown("The instruction generator did not answer.")
    phase.refresh_from_db()

    assert phase.status == Phase.Status.EVOLVING
    assert phase.work_attempt == 7


def test_a_model_that_asks_for_a_wait_is_not_called_before() -> None:
    phase = PhaseFactory(status=Phase.Status.EVOLVING)
    with failing_phase(phase.pk):
        raise EndpointDown("The instruction generator did not answer.", wait_s=300)
    woken = services.claim_wakeup(phase_id=phase.pk, status="evolving", after_s=4)

    assert not woken


def test_a_long_reason_keeps_its_end() -> None:
    reason = fail_with(ValueError("x" * 5000 + " the cause")).failure_reason

    assert reason.endswith("x the cause")
    assert len(reason) == 2000


def test_a_shutdown_is_no_failure() -> None:
    STOPPING.set()
    try:
        assert fail_with(RuntimeError("killed")).status == Phase.Status.SCORING
    finally:
        STOPPING.clear()


def test_a_phase_that_moved_meanwhile_is_left_alone() -> None:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    with failing_phase(phase.pk):
        Phase.objects.update(status=Phase.Status.STOPPED)
        raise ValueError

    phase.refresh_from_db()
    assert phase.status == Phase.Status.STOPPED


def test_a_phase_that_is_gone_is_forgiven() -> None:
    with failing_phase(999):
        raise ValueError


def test_owners_have_names_of_their_own() -> None:
    assert name_owner() != name_owner()
    assert len(name_owner()) <= 100
