"""The added book shop as rows: its site and its tasks."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import transaction

from curriculum.errors import WorkbenchError
from curriculum.models import Site, Task
from curriculum.services import ImportReport, import_tasks, register_sites
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.oscar.names import TEMPLATE
from rollouts.sites.oscar.tasks import load_tasks
from rollouts.sites.sandbox.published import FOLDERS


@transaction.atomic
def load_oscar() -> ImportReport:
    """Write what is missing; safe to repeat.

    Raises:
        WorkbenchError: The shop is missing.
        TaskImportError: A task differs from the one in the database.
    """
    if not (Path(settings.SUITES_DIR) / FOLDERS[OSCAR.key] / TEMPLATE).is_file():
        raise WorkbenchError("The shop is not here yet: run ./webrl site add oscar.")
    register_sites(sites=[_site()])
    return import_tasks(tasks=load_tasks(), origin=Task.Origin.IMPORTED)


def _site() -> Site:
    return Site(
        key=OSCAR.key,
        name=OSCAR.name,
        description=OSCAR.description,
        placeholder=OSCAR.placeholder,
    )
