"""The paper's error types: rules that one can read, and a person's last word."""

from __future__ import annotations

import functools

import pytest

from curriculum.errors import NotAllowed, VerdictError
from rollouts.browser.errors import explain_notes
from rollouts.models import Step, Trajectory
from rollouts.rules.error_types import ERROR_TYPES, Act, name_error_type
from rollouts.services.error_types import correct_error_type, find_error_type
from tests.factories import StepFactory, TrajectoryFactory, UserFactory

CLICK = Act("Click", has_element=True, has_failed=False)
FAILED = Act("Click", has_element=True, has_failed=True)
INVALID = Act("", has_element=False, has_failed=True)
BACK = Act("Go Backward", has_element=False, has_failed=False)
EXIT = Act("exit", has_element=False, has_failed=False)


@pytest.mark.parametrize(
    ("ended_by", "acts", "expected"),
    [
        ("exit", [EXIT], "no_attempt"),
        ("step_limit", [FAILED, INVALID], "no_attempt"),
        ("exit", [CLICK, EXIT], "wrong_stop"),
        ("page", [CLICK], "wrong_stop"),
        ("repeated", [CLICK, CLICK, CLICK], "stuck"),
        ("invalid", [CLICK, INVALID, INVALID], "stuck"),
        ("step_limit", [CLICK, CLICK], "stuck"),
        ("step_limit", [CLICK, FAILED, CLICK], "no_recovery"),
        ("time_limit", [CLICK, BACK, CLICK], "no_recovery"),
    ],
)
def test_the_first_rule_that_holds_names_the_type(ended_by, acts, expected):
    assert name_error_type(ended_by, acts) == expected


def test_the_rules_and_the_rows_know_the_same_types():
    assert set(ERROR_TYPES) == set(Trajectory.ErrorType.values)


@pytest.fixture
def failed(db: None) -> Trajectory:
    row = TrajectoryFactory(outcome=False, error_type="stuck", purpose="evaluate")
    StepFactory(trajectory=row, index=0, action={"name": "Click", "element": 3})
    return row


def test_the_rules_read_the_attempt_that_counts(failed: Trajectory):
    StepFactory(trajectory=failed, attempt=9, index=0, action={}, error="gone")

    assert find_error_type(failed.pk, failed.attempt, "step_limit") == "stuck"
    assert find_error_type(failed.pk, 9, "step_limit") == "no_attempt"


def test_a_dialog_is_no_failure_of_the_action(failed: Trajectory):
    told = explain_notes(frozenset(), ["Sure?"])
    Step.objects.filter(trajectory=failed).update(error=told)

    assert find_error_type(failed.pk, failed.attempt, "step_limit") == "stuck"


def test_a_person_has_the_last_word_once(failed: Trajectory):
    who = UserFactory(roles=["annotator"])
    correct = functools.partial(
        correct_error_type, trajectory_id=failed.pk, error_type="no_recovery", by=who
    )

    assert correct()
    assert not correct()
    failed.refresh_from_db()
    assert (failed.error_type, failed.error_type_by) == ("no_recovery", who)


def test_only_failures_have_a_type_and_only_the_four(failed: Trajectory):
    who = UserFactory(roles=["annotator"])
    solved = TrajectoryFactory(outcome=True)

    with pytest.raises(VerdictError, match="judged a failure"):
        correct_error_type(trajectory_id=solved.pk, error_type="stuck", by=who)
    with pytest.raises(VerdictError, match="four"):
        correct_error_type(trajectory_id=failed.pk, error_type="odd", by=who)
    with pytest.raises(NotAllowed):
        correct_error_type(
            trajectory_id=failed.pk, error_type="stuck", by=UserFactory()
        )
