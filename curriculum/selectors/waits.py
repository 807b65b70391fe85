"""Phases that wait because a model's endpoint asked for it."""

from __future__ import annotations

from django.db.models import Q

from curriculum.selectors.database_clock import database_now


def may_call_endpoint(prefix: str = "") -> Q:
    """Return the condition that a phase does not wait for a model's endpoint.

    `prefix` leads to the phase, such as "phase__".
    """
    name = f"{prefix}waits_until"
    return Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__lte": database_now()})
