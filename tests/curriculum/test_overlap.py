from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from curriculum import services
from curriculum.errors import LeaseLost, NotAllowed, ReviewError, WorkbenchError
from curriculum.models import Review, Task
from tests.factories import (
    SMALL,
    EvolvedTaskFactory,
    ReviewFactory,
    TaskFactory,
    UserFactory,
    review_phase,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Any]:
    return [UserFactory(roles=["annotator"]) for _ in range(3)]


@pytest.fixture
def boss() -> Any:
    return UserFactory(roles=["researcher"])


def vote(task: Task, person: Any, decision: str = "accept", **more: Any) -> Review:
    claimed = services.claim_review(reviewer=person)
    assert claimed == task
    return services.decide_review(
        task_id=task.pk,
        token=claimed.lease_token,
        reviewer=person,
        decision=services.Decision(decision, **more),
    )


def edit(task: Task, person: Any, text: str) -> Review:
    return vote(task, person, "edit", edited_instruction=text)


def reject(task: Task, person: Any) -> Review:
    return vote(task, person, "reject", reason="ambiguous")


def read(task: Task) -> str:
    task.refresh_from_db()
    return task.status


def waiting(reviews_per_task: int, **more: Any) -> Task:
    phase = review_phase(reviews_per_task=reviews_per_task)
    return EvolvedTaskFactory(born_in=phase, **more)


def test_a_task_waits_until_enough_people_decided(people: list[Any]):
    task = waiting(2)
    vote(task, people[0])
    assert read(task) == Task.Status.SHORTLISTED

    vote(task, people[1])
    assert read(task) == Task.Status.ACCEPTED


def test_nobody_is_given_the_same_task_twice(people: list[Any]):
    task = waiting(2)
    vote(task, people[0])

    assert services.claim_review(reviewer=people[0]) is None
    assert services.claim_review(reviewer=people[1]) == task


def test_the_database_refuses_a_second_decision_of_a_person(people: list[Any]):
    review = ReviewFactory(reviewer=people[0])

    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewFactory(task=review.task, reviewer=people[0], decision="accept")
    ReviewFactory(task=review.task, reviewer=people[1])


def test_the_majority_rejects(people: list[Any]):
    task = waiting(3)
    vote(task, people[0])
    reject(task, people[1])
    reject(task, people[2])

    assert read(task) == Task.Status.REJECTED


def test_an_edit_counts_only_once_it_is_settled(people: list[Any]):
    task = waiting(2, instruction="Buy mugs")
    edit(task, people[0], "Buy two mugs")
    task.refresh_from_db()
    assert task.instruction == "Buy mugs"

    edit(task, people[1], "Buy  two mugs")
    task.refresh_from_db()
    assert task.instruction == task.spec["intent"] == "Buy two mugs"


def test_a_tie_is_a_dispute(people: list[Any]):
    task = waiting(2)
    vote(task, people[0])
    reject(task, people[1])

    assert read(task) == Task.Status.DISPUTED
    assert services.claim_review(reviewer=people[2]) is None


def test_taking_a_vote_back_opens_the_dispute_again(people: list[Any]):
    task = waiting(2)
    vote(task, people[0])
    review = reject(task, people[1])

    services.undo_review(review_id=review.pk, reviewer=people[1])

    assert read(task) == Task.Status.SHORTLISTED
    vote(task, people[1])
    assert read(task) == Task.Status.ACCEPTED


def test_taking_a_vote_back_leaves_whoever_has_the_task_alone(people: list[Any]):
    task = waiting(2)
    review = vote(task, people[0])
    held = services.claim_review(reviewer=people[1])
    assert held is not None

    services.undo_review(review_id=review.pk, reviewer=people[0])

    services.renew_review_lease(
        task_id=task.pk, token=held.lease_token, reviewer=people[1]
    )


def dispute(people: list[Any], text: str = "Buy two mugs") -> Task:
    task = waiting(2, instruction="Buy mugs")
    edit(task, people[0], text)
    reject(task, people[1])
    task.refresh_from_db()
    return task


def test_a_researcher_ends_a_dispute_with_somebodys_words(people: list[Any], boss: Any):
    task = dispute(people)

    review = services.adjudicate(
        task_id=task.pk, by=boss, decision="accept", instruction="Buy two mugs"
    )

    assert read(task) == Task.Status.ACCEPTED
    assert task.instruction == "Buy two mugs"
    assert (review.kind, review.decision) == ("adjudication", "edit")


def test_a_researcher_ends_a_dispute_by_rejecting(people: list[Any], boss: Any):
    task = dispute(people)
    with pytest.raises(ReviewError, match="reason"):
        services.adjudicate(task_id=task.pk, by=boss, decision="reject")

    services.adjudicate(
        task_id=task.pk, by=boss, decision="reject", reason="infeasible"
    )

    assert read(task) == Task.Status.REJECTED


def test_a_dispute_is_ended_once(people: list[Any], boss: Any):
    task = dispute(people)
    services.adjudicate(task_id=task.pk, by=boss, decision="accept")

    with pytest.raises(LeaseLost):
        services.adjudicate(task_id=task.pk, by=boss, decision="accept")


def test_only_researchers_end_disputes(people: list[Any]):
    with pytest.raises(NotAllowed):
        services.adjudicate(task_id=dispute(people).pk, by=people[2], decision="accept")


def test_a_dispute_does_not_end_in_a_test_task(people: list[Any], boss: Any):
    task = dispute(people)
    TaskFactory(split=Task.Split.TEST, instruction="Find the red lamp")

    with pytest.raises(ReviewError, match="leak"):
        services.adjudicate(
            task_id=task.pk,
            by=boss,
            decision="accept",
            instruction="find the RED lamp",
        )


def test_an_adjudication_can_be_taken_back(people: list[Any], boss: Any):
    task = dispute(people)
    review = services.adjudicate(
        task_id=task.pk, by=boss, decision="accept", instruction="Buy two mugs"
    )

    services.undo_review(review_id=review.pk, reviewer=boss)

    assert read(task) == Task.Status.DISPUTED
    assert task.instruction == "Buy mugs"


def test_a_vote_is_not_taken_back_under_an_adjudication(people: list[Any], boss: Any):
    task = dispute(people)
    services.adjudicate(task_id=task.pk, by=boss, decision="accept")
    vote_of_first = task.reviews.get(reviewer=people[0])

    with pytest.raises(ReviewError, match="researcher"):
        services.undo_review(review_id=vote_of_first.pk, reviewer=people[0])
    vote_of_first.refresh_from_db()
    assert vote_of_first.undone_at is None


def test_finishing_the_review_sets_disputes_aside_as_well(people: list[Any], boss: Any):
    task = dispute(people)
    assert task.born_in_id is not None

    assert services.finish_review(phase_id=task.born_in_id, by=boss) == 1
    assert read(task) == Task.Status.LEFT


def test_a_task_that_reads_like_a_test_task_is_not_accepted(people: list[Any]):
    test = TaskFactory(split=Task.Split.TEST, instruction="Find the red lamp")
    task = waiting(1, instruction=test.instruction, start_url=test.start_url)

    with pytest.raises(ReviewError, match="leak"):
        vote(task, people[0])
    assert read(task) == Task.Status.SHORTLISTED


def test_a_run_asks_for_no_more_people_than_there_are(people: list[Any]):
    config = SMALL.to_json()
    config["review"]["reviews_per_task"] = 4

    with pytest.raises(WorkbenchError, match="only 3 can review"):
        services.create_run(name="too many", config=config, seed=0)
    config["review"]["reviews_per_task"] = 3
    services.create_run(name="enough", config=config, seed=0)
