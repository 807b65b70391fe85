"""The reviewers' guidelines, newest and earlier."""

from __future__ import annotations

from django.core.cache import cache
from django.db.models import Count, Q

from curriculum.models import Guideline

NEWEST = "desk:guideline"
# Every view of the desk needs it, and it changes a few times a month.
NEWEST_S = 1.0


def find_guideline(version: int | None = None) -> Guideline | None:
    """Return that version, or the newest; None where there is none."""
    guidelines = Guideline.objects.select_related("author").order_by("-version")
    if version is not None:
        guidelines = guidelines.filter(version=version)
    return guidelines.first()


def find_newest_guideline() -> Guideline | None:
    """Return the newest guideline, at most `NEWEST_S` seconds old."""
    found: tuple[Guideline | None] | None = cache.get(NEWEST)
    if found is None:
        found = (find_guideline(),)
        cache.set(NEWEST, found, NEWEST_S)
    return found[0]


def forget_newest_guideline() -> None:
    """Clear the cache: there is a newer guideline."""
    cache.delete(NEWEST)


def find_guideline_seen(version: int | None) -> Guideline | None:
    """Return the version that a form names, or else the newest."""
    newest = find_newest_guideline()
    if version is None or (newest is not None and newest.version == version):
        return newest
    return find_guideline(version) or newest


def list_guidelines() -> list[Guideline]:
    """Return all versions, newest first, with how many decisions saw each."""
    standing = Q(reviews__undone_at=None)
    guidelines = Guideline.objects.select_related("author").defer("text")
    counted = guidelines.annotate(decisions=Count("reviews", filter=standing))
    return list(counted.order_by("-version"))
