from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from curriculum import services
from curriculum.errors import WorkbenchError
from curriculum.models import Phase, Review
from curriculum.selectors.reviewing.own_decisions import (
    find_last_of_phase,
    is_phase_covered,
    list_decisions_of,
)
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    ReviewFactory,
    SiteFactory,
    UserFactory,
    review_phase,
)

pytestmark = pytest.mark.django_db


def decided_in(phase: Phase, person: User, **fields: Any) -> Review:
    task = EvolvedTaskFactory(status="accepted", born_in=phase)
    row: Review = ReviewFactory(task=task, reviewer=person, **fields)
    return row


def decide_gold(person: User, boss: User) -> Review:
    """Decide a gold item that was born in a phase of long ago."""
    long_ago = PhaseFactory(status=Phase.Status.CLOSED)
    task = EvolvedTaskFactory(status="accepted", born_in=long_ago)
    services.set_gold(task_id=task.pk, accepts=True, why="", by=boss)
    row: Review = ReviewFactory(task=task, reviewer=person, kind="gold")
    return row


def undo_of(review: Review, reader: User) -> str:
    return list_decisions_of(reader, reader=reader).get(pk=review.pk).undo  # type: ignore[attr-defined]


def can_undo(review: Review) -> bool:
    try:
        services.undo_review(review_id=review.pk, reviewer=review.reviewer)
    except WorkbenchError:
        return False
    return True


def test_only_ones_own_decisions_are_listed_newest_first(ann: User):
    phase = review_phase()
    first, second = decided_in(phase, ann), decided_in(phase, ann, decision="skip")
    decided_in(phase, UserFactory())

    assert list(list_decisions_of(ann, reader=ann)) == [second, first]


def test_the_filters_narrow_the_list(ann: User):
    phase, other = review_phase(), review_phase()
    here = decided_in(phase, ann, note="Two Mugs are meant")
    there = EvolvedTaskFactory(born_in=other, site=SiteFactory(key="forum"))
    there = ReviewFactory(task=there, reviewer=ann, decision="skip")

    def found(**filters: Any) -> list[Review]:
        return list(list_decisions_of(ann, reader=ann, **filters))

    assert found(text="two mugs") == found(phase=phase.pk) == [here]
    assert found(site="forum") == found(decision="skip") == [there]
    assert found(text="no such words") == []


def test_what_is_in_review_may_be_taken_back(ann: User):
    review = decided_in(review_phase(), ann)

    assert undo_of(review, ann) == "open"
    assert can_undo(review)
    assert undo_of(review, ann) == "undone"


def test_what_is_over_may_not_be_taken_back(ann: User):
    review = decided_in(PhaseFactory(status=Phase.Status.CLOSED), ann)

    assert undo_of(review, ann) == "over"
    assert not can_undo(review)


def test_what_a_researcher_decided_since_may_not_be_taken_back(ann: User, boss: User):
    review = decided_in(review_phase(), ann)
    ReviewFactory(task=review.task, reviewer=boss, kind="adjudication")

    assert undo_of(review, ann) == "overruled"
    assert not can_undo(review)


def test_a_skip_may_be_taken_back_whoever_decided_since(ann: User, boss: User):
    review = decided_in(review_phase(), ann, decision="skip", skip_to="last")
    ReviewFactory(task=review.task, reviewer=boss, kind="adjudication")

    assert undo_of(review, ann) == "open"
    assert can_undo(review)


def test_one_of_a_set_is_taken_back_with_its_set(boss: User):
    task = EvolvedTaskFactory(born_in=review_phase())
    services.decide_many(task_ids=[task.pk], decision="accept", by=boss)
    review = Review.objects.get(task=task)

    assert undo_of(review, boss) == "set"
    assert not can_undo(review)


def test_a_gold_item_is_like_what_was_decided_after_it(ann: User, boss: User):
    phase = review_phase(gold_rate=0.5)
    gold = decide_gold(ann, boss)
    alone = undo_of(gold, ann)
    decided_in(phase, ann)
    meanwhile = undo_of(gold, ann)
    Phase.objects.filter(pk=phase.pk).update(status=Phase.Status.COLLECTING)

    assert (alone, meanwhile, undo_of(gold, ann)) == ("open", "open", "over")


def test_under_cover_the_list_tells_neither_phases_nor_what_researchers_decided(
    ann: User, boss: User
):
    phase = review_phase(gold_rate=0.5)
    decide_gold(ann, boss)
    review = decided_in(phase, ann)
    ReviewFactory(task=review.task, reviewer=boss, kind="adjudication")

    seen = list_decisions_of(ann, reader=ann)

    assert is_phase_covered(ann)
    assert {(row.shown_phase, row.undo) for row in seen} == {(None, "open")}  # type: ignore[attr-defined]
    assert not list_decisions_of(ann, reader=ann, phase=phase.pk)


def test_what_was_undone_stays_in_the_list(ann: User):
    review = decided_in(review_phase(), ann, undone_at=timezone.now())

    assert undo_of(review, ann) == "undone"


def test_a_person_without_decisions_costs_no_query(django_assert_num_queries):
    phase, person = PhaseFactory(), UserFactory()
    with django_assert_num_queries(0):
        assert find_last_of_phase(person, phase.pk, None) is None
