from __future__ import annotations

from typing import Any

import pytest

from curriculum import services
from curriculum.errors import NotAllowed, PhaseStateError, ReviewError
from curriculum.models import Phase, Review, Task
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    ReviewFactory,
    TaskFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase() -> Phase:
    return PhaseFactory(status=Phase.Status.REVIEW)


@pytest.fixture
def tasks(phase: Phase) -> list[Task]:
    return EvolvedTaskFactory.create_batch(4, born_in=phase)


def decide(tasks: list[Task], boss: Any, decision: str = "accept", **more: Any) -> Any:
    ids = [task.pk for task in tasks]
    return services.decide_many(task_ids=ids, decision=decision, by=boss, **more)


def statuses(tasks: list[Task]) -> list[str]:
    found = Task.objects.in_bulk([task.pk for task in tasks])
    return [found[task.pk].status for task in tasks]


def test_exactly_the_named_tasks_are_decided(tasks: list[Task], boss: Any):
    done = decide(tasks[:3], boss, "reject", reason="duplicate", note="all the same")

    assert done.count == 3
    assert statuses(tasks) == ["rejected"] * 3 + ["shortlisted"]
    review = Review.objects.filter(task=tasks[0]).get()
    assert (review.kind, review.reason, review.note) == (
        "bulk",
        "duplicate",
        "all the same",
    )


def test_the_whole_set_is_taken_back_at_once(tasks: list[Task], boss: Any):
    done = decide(tasks[:3], boss)

    assert services.undo_batch(batch_id=done.batch.pk, by=boss) == 3

    assert statuses(tasks) == ["shortlisted"] * 4
    with pytest.raises(ReviewError, match="already"):
        services.undo_batch(batch_id=done.batch.pk, by=boss)
    decide(tasks, boss)


def test_others_leases_are_respected_and_ones_own_is_not_in_the_way(
    tasks: list[Task], boss: Any
):
    ann = UserFactory(roles=["annotator"])
    theirs = services.claim_review(reviewer=ann)
    mine = services.claim_review(reviewer=boss)
    assert theirs is not None and mine is not None

    done = decide(tasks, boss)

    assert (done.count, done.taken) == (3, 1)
    theirs.refresh_from_db()
    assert theirs.status == "shortlisted" and theirs.lease_token


def test_what_was_decided_meanwhile_is_left_out(tasks: list[Task], boss: Any):
    Task.objects.filter(pk=tasks[0].pk).update(status="rejected")

    done = decide(tasks, boss)

    assert (done.count, done.taken) == (3, 1)
    assert statuses(tasks)[0] == "rejected"


def test_what_reads_like_a_test_task_is_left_out(tasks: list[Task], boss: Any):
    TaskFactory(
        split=Task.Split.TEST,
        instruction=tasks[0].instruction,
        start_url=tasks[0].start_url,
    )

    assert decide(tasks, boss).leaks == 1
    assert statuses(tasks)[0] == "shortlisted"
    assert decide([tasks[0]], boss, "reject", reason="duplicate").count == 1


def test_it_decides_over_votes_which_then_stand_still(tasks: list[Task], boss: Any):
    ann = UserFactory(roles=["annotator"])
    vote = ReviewFactory(task=tasks[0], reviewer=ann)
    decide(tasks, boss)

    with pytest.raises(ReviewError, match="researcher"):
        services.undo_review(review_id=vote.pk, reviewer=ann)


def test_one_of_a_set_is_not_taken_back_alone(tasks: list[Task], boss: Any):
    decide(tasks, boss)

    with pytest.raises(ReviewError, match="whole set"):
        services.undo_review(review_id=Review.objects.all()[0].pk, reviewer=boss)


def test_nothing_is_taken_back_once_a_phase_has_moved_on(
    tasks: list[Task], boss: Any, phase: Phase
):
    other = EvolvedTaskFactory(born_in=PhaseFactory(status=Phase.Status.REVIEW))
    done = decide([*tasks, other], boss)
    Phase.objects.filter(pk=phase.pk).update(status=Phase.Status.CLOSED)

    with pytest.raises(PhaseStateError):
        services.undo_batch(batch_id=done.batch.pk, by=boss)
    assert set(statuses([*tasks, other])) == {"accepted"}


def test_a_set_is_taken_back_by_who_decided_it(tasks: list[Task], boss: Any):
    done = decide(tasks, boss)

    with pytest.raises(ReviewError, match="own"):
        services.undo_batch(batch_id=done.batch.pk, by=UserFactory())


@pytest.mark.parametrize(
    ("ids", "decision"),
    [([], "accept"), (range(201), "accept"), ([1], "skip"), ([1], "reject")],
)
def test_a_set_that_misses_something_is_refused(boss: Any, ids: Any, decision: str):
    with pytest.raises(ReviewError):
        services.decide_many(task_ids=list(ids), decision=decision, by=boss)


def test_only_researchers_decide_many(tasks: list[Task]):
    with pytest.raises(NotAllowed):
        decide(tasks, UserFactory(roles=["annotator"]))


def test_a_set_of_which_nothing_waits_leaves_no_trace(tasks: list[Task], boss: Any):
    decide(tasks, boss)

    assert decide(tasks, boss).batch is None
