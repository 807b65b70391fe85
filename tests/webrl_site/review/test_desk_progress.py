"""The figures above the review desk, and the choice of a phase."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase
from curriculum.selectors.reviewing.desk_progress import ReviewProgress
from tests.factories import (
    EvolvedTaskFactory,
    ReviewFactory,
    review_phase,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(ann: Any) -> Client:
    client = Client()
    client.force_login(ann)
    return client


def read_progress(desk: Client, query: str = "") -> ReviewProgress:
    progress = desk.get(f"/review/{query}").context["progress"]
    assert isinstance(progress, ReviewProgress)
    return progress


def vote(ann: Any, phase: Phase, count: int = 1) -> None:
    for task in EvolvedTaskFactory.create_batch(count, born_in=phase):
        ReviewFactory(task=task, reviewer=ann)


def test_ones_own_share_is_told_where_two_people_decide(desk: Client, ann: Any):
    phase = review_phase(reviews_per_task=2)
    EvolvedTaskFactory.create_batch(3, born_in=phase)
    vote(ann, phase, 2)

    seen = desk.get("/review/").content.decode()

    assert "you: <strong>2</strong> of 5" in seen
    assert "<strong>0</strong> of 5 decided" in seen


def test_ones_own_share_is_of_the_chosen_phase(desk: Client, ann: Any):
    here, there = (review_phase(reviews_per_task=2) for _ in range(2))
    vote(ann, here, 2)
    vote(ann, there)

    assert read_progress(desk).mine == 3
    assert read_progress(desk, f"?phase={here.pk}").mine == 2


@pytest.mark.parametrize("review", [{}, {"reviews_per_task": 2, "gold_rate": 0.1}])
def test_ones_own_share_is_not_told_alone_or_where_it_would_tell_gold(
    desk: Client, ann: Any, review: dict[str, Any]
):
    vote(ann, review_phase(**review))

    assert read_progress(desk).mine is None


def test_disputed_tasks_wait_on_no_page(desk: Client):
    phase = review_phase(reviews_per_task=2)
    EvolvedTaskFactory.create_batch(3, born_in=phase)
    EvolvedTaskFactory(born_in=phase, status="disputed")

    progress = read_progress(desk)

    assert (progress.waiting, progress.disputed, progress.total) == (3, 1, 4)
    assert "3 waiting, 1 disputed" in desk.get("/review/").content.decode()
    assert "3 evolved tasks wait" in desk.get("/").content.decode()


def test_the_home_page_counts_no_task_that_no_desk_shows(desk: Client):
    EvolvedTaskFactory(born_in=review_phase())
    closed = review_phase()
    EvolvedTaskFactory(born_in=closed)
    Phase.objects.filter(pk=closed.pk).update(status="stopped")

    assert "1 evolved task waits" in desk.get("/").content.decode()


def test_a_phase_is_chosen_where_several_wait_and_named_above(desk: Client):
    one, other = (EvolvedTaskFactory(born_in=review_phase()).born_in for _ in range(2))

    seen = desk.get(f"/review/?phase={other.pk}").content.decode()

    assert f">Review desk: {other}</h1>" in seen
    assert f'<option value="{one.pk}">{one}</option>' in seen
    assert f'<option value="{other.pk}" selected>' in seen


def test_nothing_is_to_be_chosen_where_one_phase_waits(desk: Client):
    EvolvedTaskFactory(born_in=review_phase())

    seen = desk.get("/review/").content.decode()

    assert "id_desk_phase" not in seen
    assert ">Review desk</h1>" in seen
