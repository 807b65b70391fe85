"""What people say of episodes: the newest verdict of each person counts."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet

from rollouts.models import HumanVerdict


def standing_verdicts(
    trajectory_ids: Collection[int] | None = None,
) -> QuerySet[HumanVerdict]:
    """Return the verdicts that count, of the named trajectories or of all."""
    newer = HumanVerdict.objects.filter(
        trajectory=OuterRef("trajectory"),
        author=OuterRef("author"),
        pk__gt=OuterRef("pk"),
    )
    rows = HumanVerdict.objects.filter(~Exists(newer)).select_related("author")
    if trajectory_ids is not None:
        rows = rows.filter(trajectory_id__in=trajectory_ids)
    return rows.order_by("pk")
