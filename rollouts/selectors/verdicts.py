"""People's verdicts on episodes: the newest verdict of each person counts."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet

from rollouts.models import HumanVerdict


def standing_verdicts(
    trajectory_ids: Collection[int] | None = None,
) -> QuerySet[HumanVerdict]:
    """Return the verdicts that count, of the named trajectories or of all.

    A person whose newest row takes the verdict back has none.
    """
    newer = HumanVerdict.objects.filter(
        trajectory=OuterRef("trajectory"),
        author=OuterRef("author"),
        pk__gt=OuterRef("pk"),
    )
    rows = HumanVerdict.objects.filter(~Exists(newer)).select_related("author")
    rows = rows.exclude(verdict=HumanVerdict.TAKEN_BACK)
    if trajectory_ids is not None:
        rows = rows.filter(trajectory_id__in=trajectory_ids)
    return rows.order_by("pk")


def has_judged(trajectory_id: int, reader: AbstractBaseUser | AnonymousUser) -> bool:
    """Say whether the reader ever judged it, even if they took it back."""
    rows = HumanVerdict.objects.filter(trajectory_id=trajectory_id)
    return rows.filter(author_id=reader.pk).exists()


def count_blind(run_id: int) -> int:
    """Count the verdicts that were given before the machines' were shown."""
    rows = standing_verdicts().filter(trajectory__phase__run_id=run_id)
    return rows.filter(is_blind=True).count()
