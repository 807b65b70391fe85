"""Each kind of event is stored under its name with its fields."""

from __future__ import annotations

import pytest

from curriculum.events import (
    ChangeData,
    EditEvent,
    EpisodeEvent,
    Event,
    MessageEvent,
    MetricEvent,
    ProgressEvent,
    StatusEvent,
    publish,
)
from tests.factories import PhaseFactory

CHANGE: ChangeData = {"key": "review.gold_rate", "before": "0", "after": "0.1"}
STORED = [
    (
        StatusEvent(status="failed", before="scoring", reason="No room."),
        ("status", {"status": "failed", "before": "scoring", "reason": "No room."}),
    ),
    (
        ProgressEvent(stage="scoring", done=1, total=4),
        ("progress", {"stage": "scoring", "done": 1, "total": 4, "seconds_left": None}),
    ),
    (
        EpisodeEvent(trajectory_id=7, outcome=None),
        ("episode", {"trajectory_id": 7, "outcome": None}),
    ),
    (
        MetricEvent(name="train/loss", step=3, value=0.5),
        ("metric", {"name": "train/loss", "step": 3, "value": 0.5}),
    ),
    (MessageEvent(text="Opened."), ("message", {"text": "Opened."})),
    (
        EditEvent(by="ana", changes=[CHANGE]),
        ("edit", {"by": "ana", "changes": [CHANGE]}),
    ),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("event", "stored"), STORED)
def test_an_event_is_stored_with_its_kind_and_fields(
    event: Event, stored: tuple[str, object]
):
    row = publish(PhaseFactory().pk, event)

    row.refresh_from_db()
    assert (row.kind, row.data) == stored


def test_every_kind_of_event_is_tried():
    tried = [kind for _, (kind, _) in STORED]

    assert sorted(tried) == sorted({kind.kind for kind in Event.__subclasses__()})
