"""Which evidence may go, who still needs a file, and what has gone."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from curriculum.models import Flag, Task
from rollouts.artifacts import HTML_SUFFIX, JPEG_SUFFIX, TRACE_SUFFIX
from rollouts.models import (
    EvidenceKind,
    EvidenceUse,
    HumanVerdict,
    RemovedEvidence,
    Step,
    Takeover,
    Trajectory,
)
from rollouts.retention import Rule

SUFFIXES: dict[str, str] = {
    EvidenceKind.TRACE: TRACE_SUFFIX,
    EvidenceKind.SCREENSHOT: JPEG_SUFFIX,
    EvidenceKind.PAGE: HTML_SUFFIX,
}
# Where the rows name the files: on the episode, and on its steps.
OF_EPISODE: dict[str, str] = {
    EvidenceKind.TRACE: "trace",
    EvidenceKind.SCREENSHOT: "final_screenshot",
}
OF_STEPS: dict[str, str] = {
    EvidenceKind.SCREENSHOT: "screenshot",
    EvidenceKind.PAGE: "snapshot",
}
# What says cheaply whether an episode has files of the kind.
AT_THE_END: dict[str, str] = {
    EvidenceKind.TRACE: "trace",
    EvidenceKind.SCREENSHOT: "final_screenshot",
    EvidenceKind.PAGE: "final_snapshot",
}
OVER = (Trajectory.Status.FINISHED, Trajectory.Status.FAILED)


@dataclasses.dataclass(frozen=True, slots=True)
class Evidenced:
    """Episodes with files of one kind; without pins; and of these too old."""

    episodes: int
    unpinned: int
    old: int


def list_rules() -> list[Rule]:
    """Return the operator's rules, those that are off included."""
    return [
        Rule(
            kind,
            days=getattr(settings, f"{kind.upper()}_DAYS"),
            gib=getattr(settings, f"{kind.upper()}_GIB"),
        )
        for kind in EvidenceKind.values
    ]


def find_evidence(kind: str) -> QuerySet[Trajectory]:
    """Return the ended episodes that have files of the kind still, oldest first."""
    gone = RemovedEvidence.objects.filter(trajectory=OuterRef("pk"), kind=kind)
    rows = Trajectory.objects.filter(_has(kind), ~Exists(gone), status__in=OVER)
    return rows.order_by("pk")


def _has(kind: str) -> Q:
    has = Q()
    if field := OF_EPISODE.get(kind):
        has |= ~Q(**{field: ""})
    if field := OF_STEPS.get(kind):
        steps = Step.objects.filter(trajectory=OuterRef("pk"))
        has |= Q(Exists(steps.exclude(**{field: ""})))
    return has


def find_due(rule: Rule, now: dt.datetime) -> QuerySet[Trajectory]:
    """Return the episodes whose files of the kind may go, oldest first.

    Where the kind takes too much disk, that is any that nobody has pinned.
    """
    rows = find_evidence(rule.kind).exclude(pinned())
    cut_off, excess = rule.cut_off(now), rule.excess(read_use(rule.kind))
    if excess:
        return rows
    return rows.filter(ended_at__lt=cut_off) if cut_off else rows.none()


def count_evidence(rules: Collection[Rule], now: dt.datetime) -> dict[str, Evidenced]:
    """Count the episodes of each kind in one query, for a page.

    Counted are those that kept the file of their end: looking through all steps takes
    seconds, and only broken episodes have some without that.
    """
    counts = {}
    free = ~pinned()
    for rule in rules:
        gone = RemovedEvidence.objects.filter(kind=rule.kind).order_by()
        has = ~Q(**{AT_THE_END[rule.kind]: ""}) & ~Q(
            pk__in=gone.values("trajectory_id")
        )
        cut_off = rule.cut_off(now)
        counts[f"{rule.kind}_all"] = Count("pk", filter=has)
        counts[f"{rule.kind}_free"] = Count("pk", filter=has & free)
        if cut_off:
            old = has & free & Q(ended_at__lt=cut_off)
            counts[f"{rule.kind}_old"] = Count("pk", filter=old)
    rows = Trajectory.objects.filter(status__in=OVER).order_by()
    found = rows.aggregate(**counts)
    return {
        rule.kind: Evidenced(
            episodes=found[f"{rule.kind}_all"],
            unpinned=found[f"{rule.kind}_free"],
            old=found.get(f"{rule.kind}_old", 0),
        )
        for rule in rules
    }


def sample_due(
    rule: Rule, now: dt.datetime, limit: int
) -> list[tuple[int, dt.datetime | None]]:
    """Return id and end of the oldest few episodes that `count_evidence` counts."""
    rows = Trajectory.objects.filter(~Q(**{AT_THE_END[rule.kind]: ""}), ~pinned())
    gone = RemovedEvidence.objects.filter(trajectory=OuterRef("pk"), kind=rule.kind)
    rows = rows.filter(~Exists(gone), status__in=OVER)
    if (cut_off := rule.cut_off(now)) and not rule.excess(read_use(rule.kind)):
        rows = rows.filter(ended_at__lt=cut_off)
    return list(rows.order_by("pk").values_list("pk", "ended_at")[:limit])


def sample_newest(kind: str, limit: int) -> list[int]:
    """Return the newest few episodes that have files of the kind still."""
    gone = RemovedEvidence.objects.filter(trajectory=OuterRef("pk"), kind=kind)
    rows = Trajectory.objects.filter(~Q(**{AT_THE_END[kind]: ""}), ~Exists(gone))
    return list(rows.order_by("-pk").values_list("pk", flat=True)[:limit])


def read_use(kind: str) -> int:
    """Return the bytes that the kind took when last looked at."""
    row = EvidenceUse.objects.filter(kind=kind).values_list("bytes", flat=True)
    return row.first() or 0


def pinned() -> Q:
    """Episodes that people have marked, whose evidence stays whatever the rule."""
    found = Q()
    for reason in list_pins().values():
        found |= reason
    return found


def list_pins() -> dict[str, Q]:
    """Return why evidence stays, by reason.

    A person judged the episode; demonstrated it or took over from it; wrote notes or
    tags for its run; or marked its task, or one that grew from it: gold, disputed,
    flagged.
    """
    flagged = Flag.objects.filter(settled_at__isnull=True)
    marked = Task.objects.filter(
        Q(gold__isnull=False)
        | Q(status=Task.Status.DISPUTED)
        | Q(pk__in=flagged.values("task_id"))
    )
    parents = marked.filter(parent__isnull=False)
    kept = Takeover.objects.filter(kept_at__isnull=False)
    return {
        "judged": Q(pk__in=HumanVerdict.objects.order_by().values("trajectory_id")),
        "demonstrated": Q(pk__in=kept.order_by().values("trajectory_id"))
        | Q(pk__in=kept.order_by().values("forked_from_id")),
        "run": ~Q(phase__run__notes="", phase__run__tags=""),
        "task": Q(task__in=marked.order_by().values("pk"))
        | Q(task__in=parents.order_by().values("parent_id")),
    }


def count_pinned() -> dict[str, int]:
    """Return how many ended episodes each reason keeps; one query."""
    rows = Trajectory.objects.filter(status__in=OVER).order_by()
    counts = {name: Count("pk", filter=why) for name, why in list_pins().items()}
    return rows.aggregate(**counts)


def map_files(trajectory_ids: Collection[int], kind: str) -> dict[int, set[str]]:
    """Return the names of each episode's files of the kind; at most two queries."""
    found: dict[int, set[str]] = {pk: set() for pk in trajectory_ids}
    for rows, owner, field in _list_names(kind):
        some = rows.filter(**{f"{owner}__in": trajectory_ids})
        for trajectory_id, digest in some.values_list(owner, field):
            found[trajectory_id].add(digest)
    return found


def list_needed(digests: Collection[str], kind: str, but: Collection[int]) -> set[str]:
    """Return the names that other episodes have, too, and whose files they keep."""
    gone = RemovedEvidence.objects.filter(kind=kind)
    needed: set[str] = set()
    for rows, owner, field in _list_names(kind):
        others = rows.filter(**{f"{field}__in": digests}).exclude(
            **{f"{owner}__in": but}
        )
        kept = others.filter(~Exists(gone.filter(trajectory=OuterRef(owner))))
        needed.update(kept.values_list(field, flat=True))
    if kind == EvidenceKind.PAGE:
        last = Trajectory.objects.exclude(final_snapshot="")
        some = last.filter(final_snapshot__in=digests)
        needed.update(some.values_list("final_snapshot", flat=True))
    return needed


def _list_names(kind: str) -> list[tuple[QuerySet[Any], str, str]]:
    """Return the rows that name files of the kind: rows, whose they are, the column."""
    found: list[tuple[QuerySet[Any], str, str]] = []
    if field := OF_EPISODE.get(kind):
        found.append((Trajectory.objects.exclude(**{field: ""}), "pk", field))
    if field := OF_STEPS.get(kind):
        steps = Step.objects.order_by().exclude(**{field: ""})
        found.append((steps, "trajectory_id", field))
    return found


def map_removed(trajectory_id: int) -> dict[str, RemovedEvidence]:
    """Return what has gone of an episode, by kind; one query."""
    rows = RemovedEvidence.objects.filter(trajectory_id=trajectory_id)
    return {row.kind: row for row in rows}
