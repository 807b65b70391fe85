"""The reviewers' guidelines, newest and earlier."""

from __future__ import annotations

from django.db.models import Count, Q

from curriculum.models import Guideline


def find_guideline(version: int | None = None) -> Guideline | None:
    """Return that version, or the newest; None where there is none."""
    guidelines = Guideline.objects.select_related("author").order_by("-version")
    if version is not None:
        guidelines = guidelines.filter(version=version)
    return guidelines.first()


def list_guidelines() -> list[Guideline]:
    """Return all versions, newest first, with how many decisions saw each."""
    standing = Q(reviews__undone_at=None)
    guidelines = Guideline.objects.select_related("author").defer("text")
    counted = guidelines.annotate(decisions=Count("reviews", filter=standing))
    return list(counted.order_by("-version"))
