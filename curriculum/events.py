"""A phase's events, as rows; sockets only announce that there are new ones.

The rows are authoritative: a lost wake-up delays a page by one tick of the tailer.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypedDict

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent
from curriculum.texts.sentences import Figure, Sentence, code_of

logger = logging.getLogger(__name__)

HOME_GROUP = "home"
# Events may be committed after one with a higher id: readers that continue from an id
# look back by so many.
LOOK_BACK = 200


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a phase's history: its kind, and its fields as stored in `data`."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """Return what `PhaseEvent.data` keeps."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StatusEvent(Event):
    """The phase moved; `reason` says why it failed or stopped.

    A `Sentence` is kept with its `code` and `figures`.
    """

    kind = "status"
    status: str
    before: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the statuses, the reason in English, and its code if it has one."""
        moved = {"status": self.status, "before": self.before}
        return {**moved, "reason": self.reason[:], **code_of(self.reason)}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent(Event):
    """The stage's progress; `seconds_left` is None before a forecast is possible."""

    kind = "progress"
    stage: str
    done: int
    total: int
    seconds_left: float | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeEvent(Event):
    """An episode ended; `outcome` is None where the task has no evaluators."""

    kind = "episode"
    trajectory_id: int
    outcome: bool | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MetricEvent(Event):
    """Training reported numbers up to this optimiser step."""

    kind = "metric"
    name: str
    step: int
    value: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MessageEvent(Event):
    """Something that a person should read; old rows have only the text."""

    kind = "message"
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the text in English, and its code if it has one."""
        return {"text": self.text[:], **code_of(self.text)}


class ChangeData(TypedDict):
    """One setting by its dotted key, before and after, as text."""

    key: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class EditEvent(Event):
    """A person changed settings of a stopped or failed phase."""

    kind = "edit"
    by: str
    changes: Sequence[ChangeData]


class Wakeup(TypedDict):
    """The only message that goes through a socket."""

    type: str
    last_id: int


def phase_group(phase_id: int) -> str:
    """Return the channel group of one phase's sockets."""
    return f"phase-{phase_id}"


def publish(phase_id: int, event: Event) -> PhaseEvent:
    """Write one line of the phase's history; notify the pages on commit."""
    row = PhaseEvent.objects.create(
        phase_id=phase_id, kind=event.kind, data=event.to_json()
    )
    if isinstance(event, ProgressEvent):
        _note_progress(phase_id, f"{event.stage} {event.done}")
    if settings.CHANNEL_URL:
        transaction.on_commit(lambda: _notify(phase_id, row.pk), robust=True)
    return row


def _note_progress(phase_id: int, mark: str) -> None:
    """Keep since when the message is unchanged: this shows a phase that is stuck."""
    phases = Phase.objects.filter(pk=phase_id).exclude(progress_mark=mark[:80])
    phases.update(progress_mark=mark[:80], progressed_at=timezone.now())


def tell_phase(phase_id: int, code: str, **figures: Figure) -> None:
    """Write a message, one of `PHASES`, into a phase's history."""
    publish(phase_id, MessageEvent(text=Sentence(code, **figures)))


def tell_phase_once(phase_id: int, code: str, **figures: Figure) -> None:
    """Write a message unless it equals the newest one in the phase's history."""
    event = MessageEvent(text=Sentence(code, **figures))
    messages = PhaseEvent.objects.filter(phase_id=phase_id, kind=event.kind)
    newest = messages.order_by("-pk").first()
    if newest is None or newest.data != event.to_json():
        publish(phase_id, event)


def tell_phases(phase_ids: Iterable[int], code: str, **figures: Figure) -> None:
    """Write the same message into the history of each phase."""
    for phase_id in phase_ids:
        tell_phase(phase_id, code, **figures)


def _notify(phase_id: int, last_id: int) -> None:
    """Notify every web process; the in-memory layer would reach only this one."""
    layer = get_channel_layer()
    if layer is None:
        return
    message: Wakeup = {"type": "wakeup", "last_id": last_id}
    for group in (phase_group(phase_id), HOME_GROUP):
        async_to_sync(layer.group_send)(group, message)
