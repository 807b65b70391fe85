"""What happens to a phase, as rows; sockets only say that there are new ones.

The rows are the truth: a lost
wake-up costs a page one tick of the tailer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Literal, NotRequired, TypedDict

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent
from curriculum.texts.event_texts import Figure, Sentence

logger = logging.getLogger(__name__)

Kind = Literal["status", "progress", "episode", "metric", "message", "edit"]
HOME_GROUP = "home"


class StatusData(TypedDict):
    """The phase moved; `reason` says why it failed or stopped.

    Reasons that the workbench words itself have `code` and `figures`, too; see
    `event_texts`.
    """

    status: str
    before: str
    reason: str
    code: NotRequired[str]
    figures: NotRequired[dict[str, Figure]]


class ProgressData(TypedDict):
    """How far the stage is; `seconds_left` is None before a forecast is possible."""

    stage: str
    done: int
    total: int
    seconds_left: float | None


class EpisodeData(TypedDict):
    """An episode ended; `outcome` is None where the task has no evaluators."""

    trajectory_id: int
    outcome: bool | None


class MetricData(TypedDict):
    """Training reported numbers up to this optimiser step."""

    name: str
    step: int
    value: float


class MessageData(TypedDict):
    """Something that a person should read; rows from before have the text alone."""

    text: str
    code: NotRequired[str]
    figures: NotRequired[dict[str, Figure]]


class ChangeData(TypedDict):
    """One setting by its dotted key, before and after, as text."""

    key: str
    before: str
    after: str


class EditData(TypedDict):
    """Somebody changed settings of a phase that rested."""

    by: str
    changes: list[ChangeData]


class Wakeup(TypedDict):
    """All that goes through a socket."""

    type: str
    last_id: int


def phase_group(phase_id: int) -> str:
    """Return the channel group of one phase's sockets."""
    return f"phase-{phase_id}"


def publish(phase_id: int, kind: Kind, **data: Any) -> PhaseEvent:
    """Write one line of the phase's history, and wake the pages on commit."""
    event = PhaseEvent.objects.create(phase_id=phase_id, kind=kind, data=data)
    if kind == "progress":
        _note_progress(phase_id, f"{data.get('stage')} {data.get('done')}")
    if settings.CHANNEL_URL:
        transaction.on_commit(lambda: _ring(phase_id, event.pk), robust=True)
    return event


def _note_progress(phase_id: int, mark: str) -> None:
    """Keep since when the same is said: that is how a phase that is stuck shows."""
    phases = Phase.objects.filter(pk=phase_id).exclude(progress_mark=mark[:80])
    phases.update(progress_mark=mark[:80], progressed_at=timezone.now())


def tell_phase(phase_id: int, code: str, **figures: Figure) -> None:
    """Write a message, one of `event_texts`, into a phase's history."""
    sentence = Sentence(code, figures)
    publish(phase_id, "message", text=str(sentence), **sentence.to_json())


def tell_phases(phase_ids: Iterable[int], code: str, **figures: Figure) -> None:
    """Write the same message into the history of each phase."""
    for phase_id in phase_ids:
        tell_phase(phase_id, code, **figures)


def _ring(phase_id: int, last_id: int) -> None:
    """Tell every web process; the in-memory layer would reach only our own."""
    layer = get_channel_layer()
    if layer is None:
        return
    message: Wakeup = {"type": "wakeup", "last_id": last_id}
    for group in (phase_group(phase_id), HOME_GROUP):
        async_to_sync(layer.group_send)(group, message)
