"""What phases have done so far, from their events."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection

from django.db.models import Q

from curriculum.models import Phase, PhaseEvent


def list_past_phases(limit: int = 20) -> list[Phase]:
    """Return the newest phases with their runs: the data of a forecast."""
    return list(Phase.objects.select_related("run").order_by("-id")[:limit])


def list_phases_of_weights(phase: Phase) -> list[Phase]:
    """Return the run's earlier phases that began with or made this phase's weights.

    Oldest first.
    """
    uri = phase.policy_uri
    earlier = Phase.objects.filter(run_id=phase.run_id, number__lt=phase.number)
    same = earlier.filter(Q(policy_uri=uri) | Q(next_policy_uri=uri))
    return list(same.order_by("number"))


def list_moves(phase_ids: Collection[int]) -> dict[int, list[tuple[str, dt.datetime]]]:
    """Return each phase's statuses with when it entered them, oldest first."""
    rows = (
        PhaseEvent.objects.filter(phase_id__in=phase_ids, kind="status")
        .order_by("id")
        .values_list("phase_id", "data__status", "created_at")
    )
    moves: dict[int, list[tuple[str, dt.datetime]]] = defaultdict(list)
    for phase_id, status, moment in rows:
        moves[phase_id].append((str(status), moment))
    return dict(moves)
