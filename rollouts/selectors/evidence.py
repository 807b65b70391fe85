"""Which evidence may be removed, which episodes need a file, and what was removed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from curriculum.models import Flag, GoldItem, Phase, Task
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
# The columns that name the files: on the episode, and on its steps.
OF_EPISODE: dict[str, str] = {
    EvidenceKind.TRACE: "trace",
    EvidenceKind.SCREENSHOT: "final_screenshot",
}
OF_STEPS: dict[str, str] = {
    EvidenceKind.SCREENSHOT: "screenshot",
    EvidenceKind.PAGE: "snapshot",
}
OVER = (Trajectory.Status.FINISHED, Trajectory.Status.FAILED)


def list_rules() -> list[Rule]:
    """Return the operator's rules, including those that are off."""
    return [
        Rule(
            kind,
            days=getattr(settings, f"{kind.upper()}_DAYS"),
            gib=getattr(settings, f"{kind.upper()}_GIB"),
        )
        for kind in EvidenceKind.values
    ]


def find_evidence(kind: str) -> QuerySet[Trajectory]:
    """Return the ended episodes that still have files of the kind, oldest first."""
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
    """Return the episodes whose files of the kind may be removed, oldest first.

    Where the kind takes too much disk, that is any that is not pinned.
    """
    rows = find_evidence(rule.kind).exclude(pinned())
    cut_off, excess = rule.cut_off(now), rule.excess(read_use(rule.kind))
    if excess:
        return rows
    return rows.filter(ended_at__lt=cut_off) if cut_off else rows.none()


def read_use(kind: str) -> int:
    """Return the bytes that the kind took when last measured."""
    row = EvidenceUse.objects.filter(kind=kind).values_list("bytes", flat=True)
    return row.first() or 0


def pinned() -> Q:
    """Pinned episodes, whose evidence is kept regardless of the rule."""
    return in_kept_runs() | Q(pk__in=marked_by_hand())


def in_kept_runs() -> Q:
    """Episodes of runs whose evidence a researcher keeps."""
    phases = Phase.objects.filter(run__keep_evidence=True)
    return Q(phase__in=phases.order_by().values("pk"))


def marked_by_hand() -> QuerySet[Any, Any]:
    """Return the ids of episodes that people have pinned one by one: few."""
    return judged().union(demonstrated(), of_marked_tasks())


def judged() -> QuerySet[Any, Any]:
    """Return the ids of the episodes that a person judged."""
    return HumanVerdict.objects.order_by().values("trajectory_id")


def demonstrated() -> QuerySet[Any, Any]:
    """Return the ids of kept demonstrations, and of what they took over from."""
    kept = Takeover.objects.filter(kept_at__isnull=False).order_by()
    return kept.values("trajectory_id").union(
        kept.filter(forked_from__isnull=False).values("forked_from_id")
    )


def of_marked_tasks() -> QuerySet[Any, Any]:
    """Return the ids of episodes of gold, disputed and flagged tasks.

    And of those from which such a task evolved.
    """
    gold = GoldItem.objects.order_by().values("task_id")
    flagged = Flag.objects.order_by().filter(settled_at__isnull=True).values("task_id")
    disputed = Task.objects.order_by().filter(status=Task.Status.DISPUTED).values("pk")
    # Each uses its own index; with "or" every task would be read.
    marked = gold.union(flagged, disputed)
    grown = Task.objects.order_by().filter(pk__in=marked, parent__isnull=False)
    tasks = marked.union(grown.values("parent_id"))
    return Trajectory.objects.filter(task__in=tasks).order_by().values("pk")


def map_files(trajectory_ids: Collection[int], kind: str) -> dict[int, set[str]]:
    """Return the names of each episode's files of the kind; at most two queries."""
    found: dict[int, set[str]] = {pk: set() for pk in trajectory_ids}
    for rows, owner, field in _list_names(kind):
        some = rows.filter(**{f"{owner}__in": trajectory_ids})
        for trajectory_id, digest in some.values_list(owner, field):
            found[trajectory_id].add(digest)
    return found


def list_needed(digests: Collection[str], kind: str, but: Collection[int]) -> set[str]:
    """Return the names that other episodes share, whose files are therefore kept."""
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
    """Return the rows that name files of the kind, their episode field, the column."""
    found: list[tuple[QuerySet[Any], str, str]] = []
    if field := OF_EPISODE.get(kind):
        found.append((Trajectory.objects.exclude(**{field: ""}), "pk", field))
    if field := OF_STEPS.get(kind):
        steps = Step.objects.order_by().exclude(**{field: ""})
        found.append((steps, "trajectory_id", field))
    return found


def map_removed(trajectory_id: int) -> dict[str, RemovedEvidence]:
    """Return what was removed of an episode, by kind; one query."""
    rows = RemovedEvidence.objects.filter(trajectory_id=trajectory_id)
    return {row.kind: row for row in rows}
