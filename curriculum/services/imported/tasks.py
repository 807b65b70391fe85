"""Tasks of imported episodes: existing ones, or new ones that no run uses."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from curriculum.evolution.types import digest_task
from curriculum.models import Task
from curriculum.services.imported.sites import drop_imported_sites, find_or_make_site
from curriculum.texts.sentences import Sentence

# In a task's object: its key in the imported files.
IMPORTED_KEY = "imported_key"
# Of the keys of tasks that only imported episodes have.
KEY_PREFIX = "imported."
# Ids in one statement; SQLite limits them.
BATCH = 5000


@dataclasses.dataclass(frozen=True, slots=True)
class ForeignTask:
    """A task of an imported file; see `rollouts.interchange.episodes.FileTask`."""

    key: str
    instruction: str
    known_as: tuple[str, ...]
    site: str
    start_url: str
    split: str
    template_key: str
    optimal_steps: int | None
    spec: Mapping[str, Any]


@dataclasses.dataclass(slots=True)
class MadeRows:
    """What an import has made: ids of its tasks, keys of its sites."""

    tasks: set[int] = dataclasses.field(default_factory=set)
    sites: set[str] = dataclasses.field(default_factory=set)

    def copy(self) -> MadeRows:
        """Return sets of its own with the same rows."""
        return MadeRows(tasks=set(self.tasks), sites=set(self.sites))


@transaction.atomic
def find_or_make_task(*, foreign: ForeignTask, made: MadeRows) -> Task:
    """Return the existing task, or a new one that no run uses; `made` gets new rows."""
    known = Task.objects.filter(key__in=foreign.known_as).select_related("site")
    for task in known.order_by("pk"):
        if not foreign.instruction or _is_same(task, foreign):
            return task
    key = f"{KEY_PREFIX}{_digest(foreign)}"
    instruction = foreign.instruction or foreign.key
    site, is_new_site = find_or_make_site(key=foreign.site)
    if is_new_site:
        made.sites.add(site.key)
    task, is_new = Task.objects.select_related("site").get_or_create(
        key=key,
        defaults={
            "site": site,
            "instruction": instruction,
            "start_url": foreign.start_url,
            "spec": {**foreign.spec, IMPORTED_KEY: foreign.key},
            "template_key": foreign.template_key[:80],
            "split": foreign.split,
            "origin": Task.Origin.IMPORTED,
            "status": Task.Status.FILTERED,
            "filter_reason": Sentence("only_imported"),
            "digest": digest_task(instruction, foreign.start_url),
            "optimal_steps": foreign.optimal_steps,
        },
    )
    if is_new:
        made.tasks.add(task.pk)
    return task


@transaction.atomic
def drop_made_rows(*, made: MadeRows) -> None:
    """Delete the tasks and sites that an import made, but for what others use."""
    ids = sorted(made.tasks)
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        tasks = Task.objects.filter(pk__in=batch, key__startswith=KEY_PREFIX)
        # An episode that is written meanwhile holds its task: wait for it.
        list(tasks.select_for_update().values_list("pk", flat=True))
        tasks.filter(trajectories=None).delete()
    drop_imported_sites(keys=made.sites)


def _is_same(task: Task, foreign: ForeignTask) -> bool:
    is_same = task.instruction.split() == foreign.instruction.split()
    return is_same and foreign.start_url in ("", task.start_url)


def _digest(foreign: ForeignTask) -> str:
    said = dataclasses.asdict(foreign)
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
