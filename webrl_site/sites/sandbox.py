"""The sandbox as rows: sites, seed tasks and the checkpoints that runs start from."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from django.conf import settings
from django.db import transaction

from curriculum.models import Site, Task
from curriculum.rules.checkpoints import read_digest
from curriculum.services import ImportReport, import_tasks, register_sites
from rollouts.sites.kit.sites import SITES
from rollouts.sites.sandbox import catalog
from training.services import register_checkpoint, set_apart

STARTERS = ("policy", "critic", "orm")


@dataclasses.dataclass(frozen=True, slots=True)
class LoadReport:
    """What is in the database afterwards, and what is new."""

    sites: int
    tasks: ImportReport
    checkpoints: int


@transaction.atomic
def load_sandbox() -> LoadReport:
    """Write what is missing.

    Raises:
        TaskImportError: A task of the catalog is malformed, or changed under its key.
        CheckpointError: A starter checkpoint is damaged.
    """
    register_sites(
        sites=[
            Site(
                key=site.key,
                name=site.name,
                description=site.description,
                placeholder=site.placeholder,
            )
            for site in SITES
        ]
    )
    tasks = import_tasks(tasks=catalog.load_tasks(), origin=Task.Origin.SEED)
    return LoadReport(len(SITES), tasks, _register_starters())


def _register_starters() -> int:
    """Register those that exist; a checkout without weights still loads."""
    present = [
        kind
        for kind in STARTERS
        if any(
            Path(root, "starter", kind).is_dir() for root in settings.CHECKPOINT_ROOTS
        )
    ]
    for kind in present:
        uri = f"starter/{kind}"
        # A new version may have others. Damaged ones differ from their own manifest.
        set_apart(uri=uri, digest=read_digest(uri))
        register_checkpoint(uri=uri, kind=kind)
    return len(present)
