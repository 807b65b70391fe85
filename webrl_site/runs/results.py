"""Success before and after, as the command line prints it and writes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.urls import reverse

from curriculum.models import Phase
from rollouts.models import Trajectory
from webrl_site.statistics import Proportion, wilson

Purpose = Trajectory.Purpose


def measure_success(phase: Phase, purpose: str) -> Proportion:
    """Count the evaluators' outcomes of a phase's finished episodes."""
    counts = Trajectory.objects.filter(
        phase=phase, purpose=purpose, outcome__isnull=False
    ).aggregate(
        successes=Count("pk", filter=Q(outcome=True)),
        n=Count("pk"),
        tasks=Count("task", distinct=True),
    )
    return wilson(**counts)


def measure_start(phase: Phase) -> Proportion:
    """Return the success of the policy that the phase began with."""
    own = measure_success(phase, Purpose.BASELINE)
    if own.n or phase.number == 1:
        return own
    before = Phase.objects.get(run_id=phase.run_id, number=phase.number - 1)
    return measure_success(before, Purpose.EVALUATE)


def link_episodes(phase: Phase, purpose: str) -> str:
    """Return the address of the phase's episodes of one purpose."""
    path = reverse("rollouts:trajectory_list")
    return f"{settings.DASHBOARD_URL}{path}?phase={phase.pk}&purpose={purpose}"


def summarise(phases: Sequence[Phase], seconds: float) -> dict[str, Any]:
    """Return what `run_phase --json` writes."""
    return {
        "seconds_phase": round(seconds, 1),
        "before": dataclasses.asdict(measure_start(phases[0])),
        "after": dataclasses.asdict(measure_success(phases[-1], Purpose.EVALUATE)),
        "phases": [_summarise_phase(phase) for phase in phases],
    }


def _summarise_phase(phase: Phase) -> dict[str, Any]:
    ended = phase.ended_at
    return {
        "number": phase.number,
        "path": reverse("phase", args=[phase.pk]),
        "seconds": (ended - phase.created_at).total_seconds() if ended else None,
        "before": dataclasses.asdict(measure_start(phase)),
        "after": dataclasses.asdict(measure_success(phase, Purpose.EVALUATE)),
        "episodes": link_episodes(phase, Purpose.EVALUATE),
    }
