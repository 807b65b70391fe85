from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from curriculum.errors import NotAllowed, VerdictError
from rollouts.models import HumanVerdict, Trajectory
from rollouts.selectors.verdicts import standing_verdicts
from rollouts.services import record_human_verdict, take_verdict_back
from tests.factories import QueuedTrajectoryFactory, TrajectoryFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return UserFactory(roles=["annotator"])


@pytest.fixture
def trajectory() -> Trajectory:
    return TrajectoryFactory()


def judge(trajectory: Trajectory, author: User, verdict: str, note: str = "") -> int:
    row = record_human_verdict(
        trajectory_id=trajectory.pk, author=author, verdict=verdict, note=note
    )
    return row.pk


def test_who_thinks_again_adds_a_verdict_and_the_newest_counts(
    trajectory: Trajectory, person: User
):
    first = judge(trajectory, person, "success")
    second = judge(trajectory, person, "failure", "The cart was empty")

    assert [row.pk for row in HumanVerdict.objects.all()] == [first, second]
    assert [row.pk for row in standing_verdicts()] == [second]


def test_each_person_has_a_verdict_of_their_own(trajectory: Trajectory, person: User):
    judge(trajectory, person, "success")
    judge(trajectory, UserFactory(roles=["researcher"]), "unclear")

    said = [row.verdict for row in standing_verdicts([trajectory.pk])]
    assert said == ["success", "unclear"]


def test_verdicts_of_other_episodes_are_left_out(trajectory: Trajectory, person: User):
    judge(TrajectoryFactory(), person, "success")

    assert list(standing_verdicts([trajectory.pk])) == []


def test_the_same_verdict_sent_twice_is_one_row(trajectory: Trajectory, person: User):
    assert judge(trajectory, person, "success", "ok") == judge(
        trajectory, person, "success", " ok "
    )


def test_another_note_is_another_verdict(trajectory: Trajectory, person: User):
    judge(trajectory, person, "success")
    judge(trajectory, person, "success", "because of the last page")

    assert HumanVerdict.objects.count() == 2


def test_an_episode_that_has_not_ended_cannot_be_judged(person: User):
    with pytest.raises(VerdictError, match="finished episode"):
        judge(QueuedTrajectoryFactory(), person, "success")


def test_there_are_three_verdicts(trajectory: Trajectory, person: User):
    with pytest.raises(VerdictError, match="cannot tell"):
        judge(trajectory, person, "maybe")


def test_who_has_no_role_does_not_judge(trajectory: Trajectory):
    with pytest.raises(NotAllowed):
        judge(trajectory, UserFactory(), "success")


def test_a_note_is_kept_within_bounds_and_storable(
    trajectory: Trajectory, person: User
):
    judge(trajectory, person, "success", "\x00" + "x" * 5000)

    assert HumanVerdict.objects.get().note == "x" * 2000


def test_a_verdict_taken_back_counts_no_more_and_stays_in_the_history(
    trajectory: Trajectory, person: User
):
    judge(trajectory, person, "success")

    assert take_verdict_back(trajectory_id=trajectory.pk, author=person)
    assert not take_verdict_back(trajectory_id=trajectory.pk, author=person)
    assert list(standing_verdicts()) == []
    assert [row.verdict for row in HumanVerdict.objects.all()] == ["success", "none"]


def test_who_took_a_verdict_back_can_say_the_same_again(
    trajectory: Trajectory, person: User
):
    judge(trajectory, person, "success")
    take_verdict_back(trajectory_id=trajectory.pk, author=person)
    again = judge(trajectory, person, "success")

    assert [row.pk for row in standing_verdicts()] == [again]


def test_nobody_takes_the_verdict_of_another_back(trajectory: Trajectory, person: User):
    judge(trajectory, person, "success")

    other = UserFactory(roles=["researcher"])
    assert not take_verdict_back(trajectory_id=trajectory.pk, author=other)
    assert standing_verdicts().count() == 1
