from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from curriculum import services
from curriculum.models import Phase, PhaseEvent, Task
from curriculum.selectors.reviewing import desk
from curriculum.selectors.reviewing.desk import count_after_one, count_review
from curriculum.selectors.reviewing.desk_progress import read_review_progress
from tests.factories import EvolvedTaskFactory, UserFactory, review_phase

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase() -> Phase:
    phase = review_phase()
    EvolvedTaskFactory.create_batch(3, born_in=phase)
    return phase


def decide_next() -> None:
    reviewer = UserFactory(roles=["annotator"])
    task = services.claim_review(reviewer=reviewer)
    assert task is not None
    services.decide_review(
        task_id=task.pk,
        token=task.lease_token,
        reviewer=reviewer,
        decision=services.Decision("reject", reason="ambiguous"),
    )


def test_who_looks_on_asks_for_the_count_once_a_second(
    phase: Phase, django_assert_num_queries
):
    with django_assert_num_queries(1):
        assert count_review(phase.pk) == count_review(phase.pk) == {"shortlisted": 3}


def test_a_decision_is_counted_at_once(phase: Phase):
    count_review(phase.pk)
    decide_next()
    assert count_review(phase.pk) == {"shortlisted": 2, "rejected": 1}


def test_a_phase_is_counted_for_itself(phase: Phase):
    count_review(phase.pk)
    assert count_review(review_phase().pk) == {}


def test_single_decisions_about_a_large_phase_share_a_count(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(desk, "COUNTED_ANEW", 2)
    monkeypatch.setattr(desk, "LAST_COUNTED_ANEW", 2)
    count_review(phase.pk)
    assert count_after_one(phase.pk) == {"shortlisted": 3}
    Task.objects.filter(born_in=phase).update(status="accepted")
    assert count_review(phase.pk) == {"shortlisted": 3}


def test_pages_are_told_of_a_large_phase_once_a_second(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(desk, "COUNTED_ANEW", 2)
    monkeypatch.setattr(desk, "LAST_COUNTED_ANEW", 1)
    decide_next()
    decide_next()
    told = PhaseEvent.objects.filter(phase=phase, kind="progress")
    assert [event.data["done"] for event in told] == [1]


def test_pages_are_told_of_each_of_the_last_decisions(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(desk, "COUNTED_ANEW", 2)
    decide_next()
    decide_next()
    told = PhaseEvent.objects.filter(phase=phase, kind="progress").order_by("pk")
    assert [event.data["done"] for event in told] == [1, 2]


def test_the_last_decisions_about_a_large_phase_are_counted_at_once(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(desk, "COUNTED_ANEW", 2)
    count_review(phase.pk)
    decide_next()
    assert count_after_one(phase.pk) == {"shortlisted": 2, "rejected": 1}


def test_it_can_be_counted_anew(phase: Phase):
    count_review(phase.pk)
    Task.objects.filter(born_in=phase).update(status="accepted")
    assert count_review(phase.pk, anew=True) == {"accepted": 3}


def test_the_held_tasks_are_found_without_reading_all(phase: Phase):
    site = Task.objects.filter(born_in=phase)[0].site
    Task.objects.bulk_create(
        EvolvedTaskFactory.build(site=site, born_in=phase, parent=None)
        for _ in range(2000)
    )
    with CaptureQueriesContext(connection) as asked:
        read_review_progress(UserFactory(), phase.pk, [])
    held = next(row["sql"] for row in asked if '"leased_until" ' in row["sql"])
    prefix = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    with connection.cursor() as cursor:
        cursor.execute(f"{prefix} {held}")
        assert "task_leased_until" in str(cursor.fetchall())
