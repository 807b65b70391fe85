"""Phases that wait because a model's endpoint asked for it, or for a full disk."""

from __future__ import annotations

from django.db.models import Q

from curriculum.models import PhaseEvent
from curriculum.selectors.database_clock import database_now


def may_call_endpoint(prefix: str = "") -> Q:
    """Return the condition that a phase does not wait for a model's endpoint.

    `prefix` leads to the phase, such as "phase__".
    """
    name = f"{prefix}waits_until"
    return Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__lte": database_now()})


def waits_for_disk(phase_id: int) -> bool:
    """Say whether a phase that waits does so for a full disk, by its newest message."""
    messages = PhaseEvent.objects.filter(phase_id=phase_id, kind="message")
    newest = messages.order_by("-pk").values_list("data", flat=True).first() or {}
    return bool(newest.get("code") == "disk_refused")
