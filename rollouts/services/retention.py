"""Removes old evidence: files first, then the row that says so.

Steps, observations, verdicts and last pages are never removed. Where a worker dies
between file and row, the next call finds the episode due, its files missing, and writes
the row.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Collection
from pathlib import Path

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from rollouts.artifact_store import open_artifacts
from rollouts.models import EvidenceKind, EvidenceUse, RemovedEvidence
from rollouts.retention import Rule
from rollouts.selectors.evidence import (
    SUFFIXES,
    find_due,
    list_needed,
    map_files,
    read_use,
)

# Episodes per call: a worker has other jobs to do.
AT_ONCE = 50
# A file that was stored recently may belong to a row that is not written yet.
GRACE_S = 3600.0
# No process takes longer to write one file: older parts are from killed processes.
LEFT_BEHIND_S = 86_400.0


@dataclasses.dataclass(frozen=True, slots=True)
class Removal:
    """What one call has removed; bytes are those on the disk."""

    episodes: int = 0
    files: int = 0
    bytes: int = 0


def remove_evidence(*, rule: Rule, grace_s: float = GRACE_S) -> Removal:
    """Remove the files of the oldest episodes that the rule selects, some per call."""
    now = timezone.now()
    due = list(find_due(rule, now).values_list("pk", "ended_at")[:AT_ONCE])
    if not due:
        return Removal()
    excess, cut_off = rule.excess(read_use(rule.kind)), rule.cut_off(now)
    named = map_files([pk for pk, _ in due], rule.kind)
    done: list[int] = []
    files = freed = 0
    for pk, ended_at in due:
        is_old = cut_off is not None and ended_at is not None and ended_at < cut_off
        if not is_old and freed >= excess:
            break
        own = _own(named[pk], [*done, pk], rule)
        sizes = [_remove(name, rule.kind, grace_s) for name in own]
        gone = [size for size in sizes if size]
        files, freed = files + len(gone), freed + sum(gone)
        # While a file of it stays, the episode is due again.
        if None not in sizes:
            done.append(pk)
    _write_down(rule, done, files, freed)
    return Removal(len(done), files, freed)


def _own(files: set[str], gone: list[int], rule: Rule) -> set[str]:
    """Return those of the files that no episode keeps, except the `gone` ones."""
    return files - list_needed(files, rule.kind, gone)


def _remove(name: str, kind: str, grace_s: float) -> int | None:
    return open_artifacts().remove(name, SUFFIXES[kind], grace_s=grace_s)


def _write_down(rule: Rule, ids: Collection[int], files: int, freed: int) -> None:
    rows = [
        RemovedEvidence(trajectory_id=pk, kind=rule.kind, days=rule.days, gib=rule.gib)
        for pk in ids
    ]
    # A worker that removed the same files at the same time has written the row already.
    RemovedEvidence.objects.bulk_create(rows, ignore_conflicts=True)
    EvidenceUse.objects.filter(kind=rule.kind).update(
        files=Greatest(F("files") - files, 0), bytes=Greatest(F("bytes") - freed, 0)
    )


def drop_lost_traces(*, grace_s: float = GRACE_S) -> int:
    """Delete traces whose worker died before they were stored; return how many."""
    lost = 0
    for path in Path(settings.TRACES_DIR).glob("*.zip"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime >= grace_s:
                path.unlink()
                lost += 1
    return lost


def drop_leftovers(*, age_s: float = LEFT_BEHIND_S) -> int:
    """Delete artifacts that killed processes left half written; return how many."""
    return open_artifacts().drop_leftovers(age_s=age_s, grace_s=GRACE_S)


def measure_evidence() -> None:
    """Count the files of each kind and their bytes, and write them down."""
    counts = {kind: [0, 0] for kind in EvidenceKind.values}
    suffixes = {suffix: kind for kind, suffix in SUFFIXES.items()}
    for name, size in open_artifacts().list_sizes():
        kind = suffixes.get(name[64:])
        if kind is not None:
            counts[kind][0] += 1
            counts[kind][1] += size
    for kind, (files, size) in counts.items():
        EvidenceUse.objects.update_or_create(
            kind=kind,
            defaults={"files": files, "bytes": size, "measured_at": timezone.now()},
        )
