from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from curriculum import services
from curriculum.errors import LeaseLost, NotAllowed, PhaseStateError, ReviewError
from curriculum.models import Phase, Review, Task
from tests.factories import EvolvedTaskFactory, PhaseFactory, TaskFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase() -> Phase:
    return PhaseFactory(status=Phase.Status.REVIEW)


def claim(reviewer: Any, phase: Phase | None = None) -> Task:
    task = services.claim_review(
        reviewer=reviewer, phase_id=phase.pk if phase else None
    )
    assert task is not None
    return task


def decide(task: Task, reviewer: Any, decision: str = "accept", **more: Any) -> Review:
    return services.decide_review(
        task_id=task.pk,
        token=task.lease_token,
        reviewer=reviewer,
        decision=services.Decision(decision, **more),
    )


def later(seconds: float) -> Any:
    return time_machine.travel(timezone.now() + dt.timedelta(seconds=seconds))


def test_two_people_get_two_tasks(phase: Phase, ann: Any, bob: Any) -> None:
    EvolvedTaskFactory.create_batch(2, born_in=phase)

    assert claim(ann) != claim(bob)


def test_one_person_with_two_tabs_gets_one_task(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory.create_batch(2, born_in=phase)
    first, second = claim(ann), claim(ann)

    assert first == second
    assert first.lease_token == second.lease_token


def test_a_second_vote_of_one_person_is_refused_whole(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    task = claim(ann)
    Review.objects.create(task=task, reviewer=ann, decision="reject", reason="unclear")

    with pytest.raises(LeaseLost, match="already decided this task"):
        decide(task, ann)

    task.refresh_from_db()
    assert task.status == Task.Status.SHORTLISTED
    assert [review.decision for review in task.reviews.all()] == ["reject"]


def test_nothing_waits_when_all_is_reserved(phase: Phase, ann: Any, bob: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    claim(ann)

    assert services.claim_review(reviewer=bob) is None


def test_a_reservation_that_ran_out_goes_to_the_next(
    phase: Phase, ann: Any, bob: Any
) -> None:
    EvolvedTaskFactory(born_in=phase)
    mine = claim(ann)
    with later(301):
        yours = claim(bob)
        with pytest.raises(LeaseLost):
            decide(mine, ann)
        decide(yours, bob)

    assert Review.objects.get().reviewer == bob


def test_a_reservation_that_nobody_took_still_counts(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    task = claim(ann)
    with later(3600):
        decide(task, ann)

    assert Review.objects.count() == 1


def test_renewing_keeps_the_reservation(phase: Phase, ann: Any, bob: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    task = claim(ann)
    with later(200):
        services.renew_review_lease(
            task_id=task.pk, token=task.lease_token, reviewer=ann
        )
    with later(400):
        assert services.claim_review(reviewer=bob) is None


def test_renewing_a_lost_reservation_says_so(phase: Phase, ann: Any) -> None:
    task = EvolvedTaskFactory(born_in=phase)

    with pytest.raises(LeaseLost):
        services.renew_review_lease(task_id=task.pk, token="", reviewer=ann)


def test_a_token_alone_does_not_decide_for_somebody_else(
    phase: Phase, ann: Any, bob: Any
) -> None:
    EvolvedTaskFactory(born_in=phase)

    with pytest.raises(LeaseLost):
        decide(claim(ann), bob)


def test_a_task_is_decided_once(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    task = claim(ann)
    decide(task, ann)

    with pytest.raises(LeaseLost):
        decide(task, ann)
    assert Review.objects.count() == 1


@pytest.mark.parametrize(
    ("decision", "more", "status"),
    [
        ("accept", {}, Task.Status.ACCEPTED),
        ("edit", {"edited_instruction": " Buy  two mugs "}, Task.Status.ACCEPTED),
        ("reject", {"reason": "ambiguous"}, Task.Status.REJECTED),
        ("skip", {}, Task.Status.SHORTLISTED),
    ],
)
def test_a_decision_gives_the_task_its_status(
    phase: Phase, ann: Any, decision: str, more: dict[str, str], status: str
) -> None:
    EvolvedTaskFactory(born_in=phase)
    task = claim(ann)
    decide(task, ann, decision, **more)

    task.refresh_from_db()
    assert task.status == status
    assert task.lease_token == ""


@pytest.mark.parametrize("decision", ["accept", "edit"])
def test_other_words_make_an_edit(phase: Phase, ann: Any, decision: str) -> None:
    EvolvedTaskFactory(born_in=phase)
    review = decide(claim(ann), ann, decision, edited_instruction=" Buy  a mug. ")
    assert (review.decision, review.edited_instruction) == ("edit", "Buy a mug.")
    assert review.task.instruction == "Buy a mug."


@pytest.mark.parametrize("decision", ["accept", "edit"])
def test_the_same_words_make_no_edit(phase: Phase, ann: Any, decision: str) -> None:
    EvolvedTaskFactory(born_in=phase)
    task = claim(ann)
    review = decide(task, ann, decision, edited_instruction=f" {task.instruction}\n")
    assert (review.decision, review.edited_instruction) == ("accept", "")


def test_an_edit_changes_the_instruction_everywhere(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory(born_in=phase, instruction="Buy mugs")
    task = claim(ann)
    review = decide(task, ann, "edit", edited_instruction="Buy two mugs")

    before = task.digest
    task.refresh_from_db()
    assert task.instruction == task.spec["intent"] == "Buy two mugs"
    assert task.digest != before
    assert review.original_instruction == "Buy mugs"


@pytest.mark.parametrize(
    ("decision", "more"),
    [
        ("edit", {}),
        ("edit", {"edited_instruction": "x" * 2001}),
        ("reject", {}),
        ("reject", {"reason": "because"}),
        ("applaud", {}),
    ],
)
def test_a_decision_that_misses_something_is_refused(
    phase: Phase, ann: Any, decision: str, more: dict[str, str]
) -> None:
    EvolvedTaskFactory(born_in=phase)

    with pytest.raises(ReviewError):
        decide(claim(ann), ann, decision, **more)
    assert not Review.objects.exists()


def test_an_edit_into_a_test_task_is_refused_as_a_leak(phase: Phase, ann: Any) -> None:
    TaskFactory(split=Task.Split.TEST, instruction="Find the red lamp")
    EvolvedTaskFactory(born_in=phase)

    with pytest.raises(ReviewError, match="leak"):
        decide(claim(ann), ann, "edit", edited_instruction="find the  RED lamp")
    assert not Review.objects.exists()


def test_skipped_tasks_come_last_for_that_person_only(
    phase: Phase, ann: Any, bob: Any
) -> None:
    first, second = EvolvedTaskFactory.create_batch(2, born_in=phase)
    decide(claim(ann), ann, "skip")

    assert claim(ann) == second
    assert claim(bob) == first


def test_undo_brings_the_task_back_as_it_was(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory(born_in=phase, instruction="Buy mugs")
    task = claim(ann)
    review = decide(task, ann, "edit", edited_instruction="Buy two mugs")

    services.undo_review(review_id=review.pk, reviewer=ann)

    task.refresh_from_db()
    assert task.status == Task.Status.SHORTLISTED
    assert task.instruction == task.spec["intent"] == "Buy mugs"
    decide(claim(ann), ann)


def test_undo_is_ones_own_and_once(phase: Phase, ann: Any, bob: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    review = decide(claim(ann), ann)

    with pytest.raises(ReviewError, match="own"):
        services.undo_review(review_id=review.pk, reviewer=bob)
    services.undo_review(review_id=review.pk, reviewer=ann)
    with pytest.raises(ReviewError, match="already"):
        services.undo_review(review_id=review.pk, reviewer=ann)


def test_undoing_a_skip_does_not_disturb_whoever_has_the_task_now(
    phase: Phase, ann: Any, bob: Any
) -> None:
    EvolvedTaskFactory(born_in=phase)
    review = decide(claim(ann), ann, "skip")
    task = claim(bob)

    services.undo_review(review_id=review.pk, reviewer=ann)

    decide(task, bob)


def test_undo_is_over_when_the_phase_has_moved_on(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory(born_in=phase)
    review = decide(claim(ann), ann)
    Phase.objects.update(status=Phase.Status.CLOSED)

    with pytest.raises(PhaseStateError):
        services.undo_review(review_id=review.pk, reviewer=ann)


def test_finishing_the_review_sets_aside_what_is_left(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory.create_batch(3, born_in=phase)
    decide(claim(ann), ann)
    boss = UserFactory(roles=["researcher"])

    assert services.finish_review(phase_id=phase.pk, by=boss) == 2
    assert Task.objects.filter(status=Task.Status.LEFT).count() == 2
    assert services.claim_review(reviewer=ann) is None


def test_only_a_researcher_finishes_a_review(phase: Phase, ann: Any) -> None:
    with pytest.raises(NotAllowed):
        services.finish_review(phase_id=phase.pk, by=ann)


def test_only_reviewers_review(phase: Phase) -> None:
    with pytest.raises(NotAllowed):
        services.claim_review(reviewer=UserFactory())


def test_tasks_of_a_phase_that_is_not_in_review_do_not_wait(ann: Any) -> None:
    EvolvedTaskFactory(born_in=PhaseFactory(status=Phase.Status.EVOLVING))

    assert services.claim_review(reviewer=ann) is None


def test_the_desk_can_be_kept_to_one_phase(phase: Phase, ann: Any) -> None:
    EvolvedTaskFactory()
    mine = EvolvedTaskFactory(born_in=phase)

    assert claim(ann, phase) == mine
