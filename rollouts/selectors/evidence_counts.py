"""Counts episodes with evidence, and the reasons to keep it, fast enough for pages.

It counts episodes that still have the file of their end: reading all steps takes
seconds, and only broken episodes have files on steps alone.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from rollouts.models import EvidenceKind, RemovedEvidence, Trajectory
from rollouts.retention import Rule
from rollouts.selectors.evidence import (
    OVER,
    demonstrated,
    in_kept_runs,
    judged,
    marked_by_hand,
    of_marked_tasks,
    pinned,
    read_use,
)

# The column that shows cheaply whether an episode has files of the kind.
AT_THE_END: dict[str, str] = {
    EvidenceKind.TRACE: "trace",
    EvidenceKind.SCREENSHOT: "final_screenshot",
    EvidenceKind.PAGE: "final_snapshot",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Evidenced:
    """Episodes with files of one kind; without pins; and of these too old."""

    episodes: int
    unpinned: int
    old: int


def count_evidence(rules: Sequence[Rule], now: dt.datetime) -> dict[str, Evidenced]:
    """Count the episodes of each kind: one query per kind, from an index, and another.

    Pinned episodes are few: they are counted separately and subtracted.
    """
    marked = _count_marked(rules, now)
    return {
        rule.kind: _count(rule, now, *by_hand)
        for rule, by_hand in zip(rules, marked, strict=True)
    }


def _count(rule: Rule, now: dt.datetime, marked: int, marked_old: int) -> Evidenced:
    rows = Trajectory.objects.filter(_has(rule.kind), status__in=OVER).order_by()
    free = ~in_kept_runs()
    found = rows.aggregate(
        episodes=Count("pk"),
        free=Count("pk", filter=free),
        old=Count("pk", filter=free & _is_old(rule, now)),
    )
    return Evidenced(
        found["episodes"], found["free"] - marked, found["old"] - marked_old
    )


def _count_marked(rules: Sequence[Rule], now: dt.datetime) -> list[tuple[int, int]]:
    """Return for each rule how many are pinned only by hand, and how many too old."""
    rows = Trajectory.objects.filter(
        ~in_kept_runs(), pk__in=marked_by_hand(), status__in=OVER
    )
    counts = {}
    for rule in rules:
        has = _has(rule.kind)
        counts[f"{rule.kind}_all"] = Count("pk", filter=has)
        counts[f"{rule.kind}_old"] = Count("pk", filter=has & _is_old(rule, now))
    found = rows.order_by().aggregate(**counts)
    return [(found[f"{rule.kind}_all"], found[f"{rule.kind}_old"]) for rule in rules]


def _has(kind: str) -> Q:
    gone = RemovedEvidence.objects.filter(kind=kind).order_by()
    has = ~Q(**{AT_THE_END[kind]: ""})
    return has & ~Q(pk__in=gone.values("trajectory_id"))


def _is_old(rule: Rule, now: dt.datetime) -> Q:
    cut_off = rule.cut_off(now)
    return Q(ended_at__lt=cut_off) if cut_off else Q(pk__in=[])


def count_pinned() -> dict[str, int]:
    """Return how many ended episodes each reason keeps; one query per reason."""
    reasons = {
        "judged": Q(pk__in=judged()),
        "demonstrated": Q(pk__in=demonstrated()),
        "run": in_kept_runs(),
        "task": Q(pk__in=of_marked_tasks()),
    }
    rows = Trajectory.objects.filter(status__in=OVER).order_by()
    return {name: rows.filter(why).count() for name, why in reasons.items()}


def sample_due(
    rule: Rule, now: dt.datetime, limit: int
) -> list[tuple[int, dt.datetime | None]]:
    """Return id and end of the oldest few episodes that `count_evidence` counts."""
    rows = _still_has(rule.kind).filter(status__in=OVER).exclude(pinned())
    if (cut_off := rule.cut_off(now)) and not rule.excess(read_use(rule.kind)):
        rows = rows.filter(ended_at__lt=cut_off)
    return list(rows.order_by("pk").values_list("pk", "ended_at")[:limit])


def sample_newest(kind: str, limit: int) -> list[int]:
    """Return the newest few episodes that still have files of the kind."""
    rows = _still_has(kind).order_by("-pk")
    return list(rows.values_list("pk", flat=True)[:limit])


def _still_has(kind: str) -> QuerySet[Trajectory]:
    gone = RemovedEvidence.objects.filter(trajectory=OuterRef("pk"), kind=kind)
    return Trajectory.objects.filter(~Q(**{AT_THE_END[kind]: ""}), ~Exists(gone))
