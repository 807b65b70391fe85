from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from benchmarks import phase as phase_benchmark
from benchmarks.phase import Span, cover
from curriculum.models import Phase, PhaseEvent
from tests.factories import PhaseFactory, StepFactory, TrajectoryFactory

START = datetime(2026, 1, 1, tzinfo=UTC)


def span(low: float, high: float) -> Span:
    return (START + timedelta(seconds=low), START + timedelta(seconds=high))


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 0),
        ([span(1, 3), span(2, 4)], 3),
        ([span(1, 2), span(5, 6)], 2),
        ([span(-5, 2), span(9, 20)], 3),
        ([span(20, 30)], 0),
    ],
)
def test_cover_counts_every_second_once_and_only_inside(spans, seconds):
    assert cover(spans, span(0, 10)) == seconds


def add_event(phase: Phase, status: str, seconds: float) -> None:
    event = PhaseEvent.objects.create(
        phase=phase, kind="status", data={"status": status}
    )
    at = START + timedelta(seconds=seconds)
    PhaseEvent.objects.filter(pk=event.pk).update(created_at=at)


@pytest.mark.django_db
def test_time_without_a_working_episode_is_orchestration():
    phase = PhaseFactory(status=Phase.Status.CLOSED, ended_at=START)
    for status, seconds in (("collecting", 0), ("review", 10), ("closed", 500)):
        add_event(phase, status, seconds)
    row = TrajectoryFactory(
        phase=phase, purpose="collect", attempt=1, started_at=span(1, 2)[0]
    )
    StepFactory(trajectory=row, attempt=1, index=0, timing={"act": 4000, "settle": 500})
    StepFactory(trajectory=row, attempt=1, index=1, timing={"policy": 2500})

    records = {record.metric: record for record in phase_benchmark.run()}

    assert records["collecting"].ours == 10
    assert records["orchestration"].ours == 3
    assert records["orchestration"].ratio == 0.3


@pytest.mark.django_db
def test_without_a_closed_phase_it_says_what_to_do():
    with pytest.raises(SystemExit, match="webrl demo"):
        phase_benchmark.run()
