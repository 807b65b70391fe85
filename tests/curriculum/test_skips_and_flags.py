from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from curriculum import services
from curriculum.errors import NotAllowed, ReviewError
from curriculum.models import Flag, Phase, Review, Task
from curriculum.selectors.reviewing.desk import count_flagged, list_flags
from tests.factories import EvolvedTaskFactory, PhaseFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks() -> list[Task]:
    phase = PhaseFactory(status=Phase.Status.REVIEW)
    return EvolvedTaskFactory.create_batch(3, born_in=phase)


def skip(person: Any, to: str, note: str = "beyond me") -> Task:
    task = services.claim_review(reviewer=person)
    assert task is not None
    services.decide_review(
        task_id=task.pk,
        token=task.lease_token,
        reviewer=person,
        decision=services.Decision("skip", skip_to=to, note=note),
    )
    return task


def list_queue(person: Any) -> list[Task]:
    """Accept all that a person is given, and return it in order."""
    given = []
    while task := services.claim_review(reviewer=person):
        given.append(task)
        services.decide_review(
            task_id=task.pk,
            token=task.lease_token,
            reviewer=person,
            decision=services.Decision("accept"),
        )
    return given


def test_what_goes_to_the_end_comes_back(ann: Any, tasks: list[Task]):
    skip(ann, "last", note="")

    assert list_queue(ann) == [tasks[1], tasks[2], tasks[0]]


@pytest.mark.parametrize("to", ["others", "drop"])
def test_what_is_left_to_others_does_not_come_back(
    to: str, ann: Any, tasks: list[Task]
):
    skip(ann, to)

    assert list_queue(ann) == tasks[1:]


def test_others_get_soon_what_was_passed_on(ann: Any, bob: Any, tasks: list[Task]):
    skip(ann, "last", note="")
    skip(ann, "others")

    assert list_queue(bob) == [tasks[1], tasks[0], tasks[2]]


def test_what_was_dropped_keeps_its_turn(ann: Any, bob: Any, tasks: list[Task]):
    skip(ann, "last", note="")
    skip(ann, "drop")

    assert list_queue(bob) == tasks


def test_what_was_left_to_others_can_be_taken_back(ann: Any, tasks: list[Task]):
    skip(ann, "others")
    skip(ann, "drop")

    assert services.take_back_passed(reviewer=ann) == 2
    assert list_queue(ann) == tasks


def test_undoing_such_a_skip_brings_the_task_back(ann: Any, tasks: list[Task]):
    skip(ann, "drop")

    services.undo_review(review_id=Review.objects.get().pk, reviewer=ann)

    assert list_queue(ann) == tasks


@pytest.mark.parametrize("to", ["others", "drop", "nowhere"])
def test_leaving_a_task_to_others_needs_a_word(to: str, ann: Any, tasks: list[Task]):
    with pytest.raises(ReviewError):
        skip(ann, to, note=" ")
    assert not Review.objects.exists()


def test_a_flag_stands_until_a_researcher_settles_it(ann: Any, tasks: list[Task]):
    boss = UserFactory(roles=["researcher"])
    flag = services.flag_task(task_id=tasks[0].pk, by=ann, note="is this legal?")
    assert count_flagged() == 1

    services.settle_flag(flag_id=flag.pk, by=boss)

    assert count_flagged() == 0
    assert list_flags(tasks[0]) == []
    with pytest.raises(ReviewError, match="already"):
        services.settle_flag(flag_id=flag.pk, by=boss)


def test_a_second_flag_of_a_person_is_a_newer_note(ann: Any, tasks: list[Task]):
    services.flag_task(task_id=tasks[0].pk, by=ann, note="hm")
    services.flag_task(task_id=tasks[0].pk, by=ann, note="is this legal?")

    assert [flag.note for flag in list_flags(tasks[0])] == ["is this legal?"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Flag.objects.create(task=tasks[0], author=ann, note="again")


def test_a_flag_needs_a_note_and_settling_a_researcher(ann: Any, tasks: list[Task]):
    with pytest.raises(ReviewError):
        services.flag_task(task_id=tasks[0].pk, by=ann, note=" ")
    with pytest.raises(NotAllowed):
        services.flag_task(task_id=tasks[0].pk, by=UserFactory(), note="hm")
    flag = services.flag_task(task_id=tasks[0].pk, by=ann, note="hm")
    with pytest.raises(NotAllowed):
        services.settle_flag(flag_id=flag.pk, by=ann)
