"""A review that closes while somebody takes a decision of it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from curriculum import services
from curriculum.errors import PhaseStateError
from curriculum.models import Phase, Review, Task
from curriculum.selectors.value_band import Band
from tests.factories import EvolvedTaskFactory, UserFactory, review_phase
from webrl_site.loop import phase_loop

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("eager_jobs"),
]


@pytest.fixture
def boss() -> Any:
    return UserFactory(roles=["researcher"])


@pytest.fixture
def phase() -> Phase:
    return review_phase()


@pytest.fixture
def task(phase: Phase) -> Task:
    return EvolvedTaskFactory(born_in=phase)


def advance_while(
    monkeypatch: pytest.MonkeyPatch, phase: Phase, act: Callable[[], object]
) -> str:
    """Advance the phase; `act` happens once, after its facts have been gathered."""
    gather, acts = phase_loop.gather_facts, [act]

    def gather_then_act(found: Phase) -> phase_loop.Facts:
        facts = gather(found)
        for once in acts:
            once()
        acts.clear()
        return facts

    monkeypatch.setattr(phase_loop, "gather_facts", gather_then_act)
    return phase_loop.advance(phase.pk)


def accept(boss: Any) -> Review:
    task = services.claim_review(reviewer=boss)
    assert task is not None
    return services.decide_review(
        task_id=task.pk,
        token=task.lease_token,
        reviewer=boss,
        decision=services.Decision("accept"),
    )


def test_a_decision_taken_back_meanwhile_keeps_the_review_open(
    monkeypatch: pytest.MonkeyPatch, phase: Phase, task: Task, boss: Any
) -> None:
    review = accept(boss)

    def undo() -> None:
        services.undo_review(review_id=review.pk, reviewer=boss)

    assert advance_while(monkeypatch, phase, undo) == "review"
    assert services.claim_review(reviewer=boss) == task


def test_a_set_taken_back_meanwhile_keeps_the_review_open(
    monkeypatch: pytest.MonkeyPatch, phase: Phase, task: Task, boss: Any
) -> None:
    decided = services.decide_many(task_ids=[task.pk], decision="accept", by=boss)
    assert decided.batch is not None
    batch_id = decided.batch.pk

    def undo() -> None:
        services.undo_batch(batch_id=batch_id, by=boss)

    assert advance_while(monkeypatch, phase, undo) == "review"
    assert services.claim_review(reviewer=boss) == task


def test_a_band_moved_meanwhile_keeps_the_review_open(
    monkeypatch: pytest.MonkeyPatch, phase: Phase, task: Task, boss: Any
) -> None:
    Task.objects.filter(pk=task.pk).update(status=Task.Status.FILTERED)

    def move() -> None:
        services.move_band(phase_id=phase.pk, band=Band(0.0, 1.0), by=boss)

    assert advance_while(monkeypatch, phase, move) == "review"
    assert services.claim_review(reviewer=boss) == task


def test_a_review_closes_once_all_is_decided(
    phase: Phase, task: Task, boss: Any
) -> None:
    review = accept(boss)

    assert phase_loop.advance(phase.pk) == "closed"
    with pytest.raises(PhaseStateError):
        services.undo_review(review_id=review.pk, reviewer=boss)
    assert Review.objects.get().undone_at is None
    task.refresh_from_db()
    assert task.status == Task.Status.ACCEPTED
