"""The two that write to the small disk of R10: the collecting job, and a writer."""

from __future__ import annotations

import itertools
import secrets
import time
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError

from curriculum import services as curriculum
from curriculum.models import Flag, Phase
from rollouts import services as rollouts
from rollouts import tasks
from rollouts.artifacts import ArtifactError, load, store

SUFFIX = ".html.gz"
REFUSED = "refused"
PAUSE_S = 0.1


def collect_on(phase_id: int) -> None:
    """Run job and sweep repeatedly, as Celery does when a job fails."""
    while True:
        try:
            rollouts.requeue_expired()
            tasks.collect(phase_id)
        except (DatabaseError, OSError):
            pass
        time.sleep(PAUSE_S)


def write_on(phase_id: int, acknowledged: Path) -> None:
    """Store a file and flag a task, repeatedly; note what was acknowledged.

    The notes are on another disk than the data.
    """
    person = User.objects.create_superuser(f"drill-{secrets.token_hex(4)}")
    ids = list(Phase.objects.get(pk=phase_id).tasks.values_list("pk", flat=True))
    for number, task_id in enumerate(itertools.cycle(ids)):
        note = f"note {number}"
        try:
            digest = store(settings.ARTIFACTS_DIR, note.encode() * 400, SUFFIX)
            curriculum.flag_task(task_id=task_id, by=person, note=note)
        except (DatabaseError, OSError, ArtifactError):
            line = REFUSED
        else:
            line = f"{task_id} {number} {digest}"
        with acknowledged.open("a") as file:
            file.write(f"{line}\n")
        time.sleep(PAUSE_S)


def check_written(acknowledged: Path) -> tuple[int, int, int]:
    """Return how many writes were acknowledged, are missing now, and were refused."""
    lines = acknowledged.read_text().splitlines()
    taken = [line.split() for line in lines if line != REFUSED]
    # A later note replaces an earlier one of the same task.
    newest = {int(task_id): f"note {number}" for task_id, number, _ in taken}
    notes = set(Flag.objects.values_list("task_id", "note"))
    missing = sum(one not in notes for one in newest.items())
    missing += sum(not _is_there(digest) for _, _, digest in taken)
    return len(taken), missing, lines.count(REFUSED)


def _is_there(digest: str) -> bool:
    try:
        return bool(load(settings.ARTIFACTS_DIR, digest, SUFFIX))
    except ArtifactError:
        return False
