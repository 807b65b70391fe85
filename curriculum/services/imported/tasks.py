"""Tasks of imported episodes: existing ones, or new ones that no run uses."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction

from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task
from curriculum.services.sites import make_known_sites, register_sites
from curriculum.task_files.suites import KNOWN_SITES
from curriculum.texts.sentences import Sentence

# The site of tasks whose own site is not known.
NO_SITE = "imported"
# In a task's object: its key in the imported files.
IMPORTED_KEY = "imported_key"
# Of the keys of tasks that only imported episodes have.
KEY_PREFIX = "imported."


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


@transaction.atomic
def find_or_make_task(*, foreign: ForeignTask) -> tuple[Task, bool]:
    """Return the existing task, or a new one that no run uses; and whether new."""
    known = Task.objects.filter(key__in=foreign.known_as)
    for task in known.order_by("pk"):
        if not foreign.instruction or _is_same(task, foreign):
            return task, False
    key = f"{KEY_PREFIX}{_digest(foreign)}"
    instruction = foreign.instruction or foreign.key
    site = _find_or_make_site(foreign.site)
    return Task.objects.get_or_create(
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


def drop_imported_tasks(*, ids: Collection[int]) -> None:
    """Delete tasks that an import made and could not use."""
    Task.objects.filter(pk__in=ids, key__startswith=KEY_PREFIX).delete()


def _is_same(task: Task, foreign: ForeignTask) -> bool:
    is_same = task.instruction.split() == foreign.instruction.split()
    return is_same and foreign.start_url in ("", task.start_url)


def _digest(foreign: ForeignTask) -> str:
    said = dataclasses.asdict(foreign)
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _find_or_make_site(key: str) -> Site:
    """Return the site of this key; a new one has no address, so no run uses it."""
    key = key or NO_SITE
    found = Site.objects.filter(key=key).first()
    if found is not None:
        return found
    sites = make_known_sites(keys=[key] if key in KNOWN_SITES else [])
    if not sites:
        placeholder = f"__{key.upper()}__"[:40]
        name = "Imported episodes" if key == NO_SITE else key
        sites = [
            Site(
                key=key,
                name=name[:100],
                kind=Site.Kind.EXTERNAL,
                placeholder=placeholder,
            )
        ]
    register_sites(sites=sites)
    return Site.objects.get(key=key)
