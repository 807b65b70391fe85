"""Finds stuck phases: they should progress, but have not for a while."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.conf import settings
from django.utils import timezone

from curriculum.models import Phase
from rollouts.selectors.loop import find_last_steps


def find_stuck(
    phases: Sequence[Phase], now: dt.datetime | None = None
) -> dict[int, dt.datetime]:
    """Return since when each stuck phase has made no progress; one query at most.

    Progress is a new stage, a count that changed, or a step of a running episode.
    Phases in review wait for people and are never stuck; those that a model's server
    asked to wait are expected to move from then on.
    """
    now = now or timezone.now()
    limit = now - dt.timedelta(seconds=settings.STUCK_AFTER_S)
    quiet = {
        phase.pk: since
        for phase in phases
        if _should_move(phase) and (since := _last_progress(phase)) < limit
    }
    steps = find_last_steps(list(quiet)) if quiet else {}
    last = {pk: max(since, steps.get(pk, since)) for pk, since in quiet.items()}
    return {pk: since for pk, since in last.items() if since < limit}


def _should_move(phase: Phase) -> bool:
    return phase.is_moving and phase.status != Phase.Status.REVIEW


def _last_progress(phase: Phase) -> dt.datetime:
    since = phase.progressed_at or phase.stage_started_at or phase.created_at
    return max(since, phase.waits_until) if phase.waits_until else since
