"""Notices when a phase is finished, fails, waits or is stuck: written by the sweep.

Rows are written first, and sent later elsewhere: an operator's server cannot hold up a
phase.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from curriculum.events import LOOK_BACK
from curriculum.models import Phase, PhaseEvent
from curriculum.selectors.pages import list_moving_phases
from webrl_site.loop.stuck import find_stuck
from webrl_site.models import Delivery

TOLD = {"closed": "finished", "failed": "failed"}
# Reasons of stops that a person or a command requested, which need no notice.
STOPS = ("", "stopped", "stopped_itself")
# A new sweep does not report what happened before its start.
NEWS = dt.timedelta(hours=1)


def list_channels() -> list[str]:
    """Return the channels that the operator has set up."""
    channels = []
    if settings.NOTICE_WEBHOOK_URL:
        channels.append(str(Delivery.Channel.WEBHOOK))
    if settings.NOTICE_EMAIL_TO and settings.EMAIL_HOST:
        channels.append(str(Delivery.Channel.EMAIL))
    return channels


class Watch:
    """Remembers which events it has seen; forgetting them costs a query, not a notice.

    Ids may be committed out of order, so it also looks back a little.
    """

    def __init__(self) -> None:
        self._newest = 0
        self._seen: set[int] = set()

    def look(self) -> int:
        """Write the notices that are due; returns how many are new."""
        if not list_channels():
            return 0
        return self._tell_moves() + tell_stuck()

    def _tell_moves(self) -> int:
        start = self._newest - LOOK_BACK
        # Of any kind: a training writes many events between two moves.
        newest = PhaseEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
        self._seen = {pk for pk in self._seen if pk > start}
        moves = PhaseEvent.objects.filter(
            kind="status", pk__gt=start, created_at__gt=timezone.now() - NEWS
        )
        made = 0
        for event in moves.select_related("phase__run").order_by("pk"):
            if event.pk not in self._seen:
                made += _tell_move(event)
                self._seen.add(event.pk)
        self._newest = newest
        return made


def _tell_move(event: PhaseEvent) -> int:
    kind = _name_kind(event.data)
    if not kind:
        return 0
    reason = str(event.data.get("reason", ""))
    return _tell(kind, event.phase, f"{kind}:{event.pk}", reason)


def _name_kind(move: dict[str, Any]) -> str:
    """Return the notice of a move, or "" for none."""
    status = str(move.get("status"))
    if status == Phase.Status.STOPPED and str(move.get("code", "")) not in STOPS:
        return "paused"
    return TOLD.get(status, "")


def tell_stuck() -> int:
    """Write a notice for each stuck phase, once each time it becomes stuck."""
    phases = {phase.pk: phase for phase in list_moving_phases()}
    return sum(
        _tell(
            "stuck",
            phases[pk],
            f"stuck:{pk}:{int(since.timestamp())}",
            f"No progress since {since:%Y-%m-%d %H:%M} UTC.",
        )
        for pk, since in find_stuck(list(phases.values())).items()
    )


def send_test(*, by: str) -> int:
    """Write a test notice for every channel; returns how many there are."""
    now = timezone.now()
    payload = {"kind": "test", "text": f"A test, asked for by {by}."}
    return _write(f"test:{now.timestamp()}", payload)


def _tell(kind: str, phase: Phase, key: str, reason: str) -> int:
    payload = {
        "kind": kind,
        "run": phase.run.name,
        "phase": phase.number,
        "status": phase.status,
        "reason": reason[:2000],
        "url": f"{settings.DASHBOARD_URL}{reverse('phase', args=[phase.pk])}",
        "text": f"{phase}: {kind}. {reason[:500]}".strip(),
    }
    return _write(key, payload)


def _write(key: str, payload: dict[str, Any]) -> int:
    now = timezone.now()
    made = [
        Delivery.objects.get_or_create(
            key=f"{key}:{channel}",
            defaults={"channel": channel, "payload": payload, "next_at": now},
        )[1]
        for channel in list_channels()
    ]
    return sum(made)


WATCH = Watch()
