from __future__ import annotations

from typing import Any

import pytest

from curriculum import services
from curriculum.errors import LeaseLost, NotAllowed, ReviewError
from curriculum.models import GoldItem, Phase, Review, Task
from curriculum.selectors.reviewing.desk import count_gold, list_gold
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    TaskFactory,
    review_phase,
)

pytestmark = pytest.mark.django_db
SOME = 0.5


@pytest.fixture
def phase() -> Phase:
    phase = review_phase(gold_rate=SOME)
    EvolvedTaskFactory.create_batch(40, born_in=phase)
    return phase


@pytest.fixture
def golds(boss: Any) -> list[Task]:
    """Two that are right to accept, two that are right to reject."""
    closed = PhaseFactory(status=Phase.Status.CLOSED)
    tasks = EvolvedTaskFactory.create_batch(4, born_in=closed, status="accepted")
    for place, task in enumerate(tasks):
        services.set_gold(task_id=task.pk, accepts=place < 2, why="", by=boss)
    return tasks


def decide(held: services.Reservation, person: Any, decision: str = "accept") -> Review:
    return services.decide_review(
        task_id=held.task.pk,
        token=held.token,
        reviewer=person,
        decision=services.Decision(
            decision, reason="ambiguous" if decision == "reject" else ""
        ),
    )


def next_gold(person: Any) -> services.Reservation:
    """Accept until a gold item comes."""
    while held := services.take_next(reviewer=person):
        if held.is_gold:
            return held
        decide(held, person)
    raise AssertionError("no gold item came")


def test_gold_items_come_among_the_others_each_once(
    ann: Any, phase: Phase, golds: list[Task]
):
    came = []
    while held := services.take_next(reviewer=ann):
        came.append(held.task.pk if held.is_gold else 0)
        decide(held, ann)

    assert sorted(filter(None, came)) == [task.pk for task in golds]
    assert came.count(0) == 40
    assert Task.objects.filter(born_in=phase, status="accepted").count() == 40


def test_looking_again_shows_the_same(ann: Any, phase: Phase, golds: list[Task]):
    held = next_gold(ann)

    assert services.take_next(reviewer=ann) == held


def test_taking_a_decision_back_shows_the_same(
    ann: Any, phase: Phase, golds: list[Task]
):
    held = next_gold(ann)
    review = decide(held, ann)
    assert count_gold(ann.pk)[1] == 1

    services.undo_review(review_id=review.pk, reviewer=ann)

    assert count_gold(ann.pk)[1] == 0
    assert services.take_next(reviewer=ann) == held


def test_an_undone_gold_item_comes_back_like_any_other(
    ann: Any, phase: Phase, golds: list[Task]
):
    held = next_gold(ann)
    review = decide(held, ann)
    services.take_next(reviewer=ann)
    services.undo_review(review_id=review.pk, reviewer=ann)

    assert services.reclaim(review=review, reviewer=ann) == held


def test_a_gold_item_looks_like_any_other(ann: Any, phase: Phase, golds: list[Task]):
    real = services.claim_review(reviewer=ann)
    held = next_gold(ann)

    assert real is not None
    assert len(held.token) == len(real.lease_token)
    assert set(held.token) <= set("0123456789abcdef")
    assert held.phase == phase


def test_deciding_it_changes_nothing_but_the_share(
    ann: Any, phase: Phase, golds: list[Task]
):
    held = next_gold(ann)
    before = Task.objects.filter(pk=held.task.pk).values().get()
    review = decide(held, ann, "reject")

    assert review.kind == "gold"
    assert Task.objects.filter(pk=held.task.pk).values().get() == before
    right = int(not GoldItem.objects.get(task=held.task).accepts)
    assert count_gold(ann.pk) == (right, 1)
    listed = {item.task_id: vars(item)["right"] for item in list_gold()}
    assert listed[held.task.pk] == right


def test_several_people_may_have_the_same_one(
    ann: Any, boss: Any, phase: Phase, golds: list[Task]
):
    GoldItem.objects.exclude(task=golds[0]).delete()
    mine, yours = next_gold(ann), next_gold(boss)

    assert mine.task == yours.task
    assert mine.token != yours.token
    decide(mine, ann)
    decide(yours, boss)


def test_nobody_decides_with_anothers_token(
    ann: Any, boss: Any, phase: Phase, golds: list[Task]
):
    held = next_gold(ann)

    with pytest.raises(LeaseLost):
        decide(held, boss)
    decide(held, ann)
    with pytest.raises(LeaseLost):
        decide(held, ann)


def test_the_heartbeat_holds_while_the_item_does(
    ann: Any, phase: Phase, golds: list[Task]
):
    held = next_gold(ann)
    beat = {"task_id": held.task.pk, "token": held.token, "reviewer": ann}

    services.renew_review_lease(**beat)
    GoldItem.objects.all().delete()
    with pytest.raises(LeaseLost):
        services.renew_review_lease(**beat)


def test_a_skipped_one_says_nothing_and_does_not_come_back(
    ann: Any, phase: Phase, golds: list[Task]
):
    held = next_gold(ann)
    decide(held, ann, "skip")

    assert count_gold(ann.pk) == (0, 0)
    assert next_gold(ann).task != held.task


def test_runs_without_a_rate_have_none(ann: Any, golds: list[Task]):
    EvolvedTaskFactory.create_batch(10)

    while held := services.take_next(reviewer=ann):
        assert not held.is_gold
        decide(held, ann)


def test_only_researchers_choose_them_and_only_decided_tasks(ann: Any, boss: Any):
    waiting = EvolvedTaskFactory()
    test = TaskFactory(split=Task.Split.TEST)

    with pytest.raises(NotAllowed):
        services.set_gold(task_id=test.pk, accepts=True, why="", by=ann)
    for task in (waiting, test):
        with pytest.raises(ReviewError):
            services.set_gold(task_id=task.pk, accepts=True, why="", by=boss)
    with pytest.raises(NotAllowed):
        services.drop_gold(task_id=test.pk, by=ann)
