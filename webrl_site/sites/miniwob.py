"""MiniWoB++ as rows: its site, and a task for each page and seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from django.conf import settings
from django.db import transaction

from curriculum.errors import WorkbenchError
from curriculum.models import Site, Task
from curriculum.services import ImportReport, import_tasks, register_sites
from rollouts.sites.kit.sites import MINIWOB
from rollouts.sites.miniwob.tasks import SEEDS, build_tasks, list_pages, task_key
from rollouts.sites.sandbox.miniwob_goals import GoalReport
from rollouts.sites.sandbox.published import FOLDERS

GoalReader = Callable[[Path, Sequence[str], Sequence[int]], GoalReport]


@dataclasses.dataclass(frozen=True, slots=True)
class MiniWobReport:
    """`failed` has the reasons why some pages did not start and have no tasks."""

    pages: int
    tasks: ImportReport
    failed: dict[str, str]


def load_miniwob(read_goals: GoalReader) -> MiniWobReport:
    """Write what is missing; if nothing is, no browser is started.

    Raises:
        WorkbenchError: The pages are missing.
        TaskImportError: A page's task differs from the one in the database.
    """
    folder = Path(settings.SUITES_DIR) / FOLDERS[MINIWOB.key]
    pages = list_pages(folder)
    if not pages:
        raise WorkbenchError(f"There are no pages in {folder}.")
    keys = {task_key(page, seed) for page in pages for seed in SEEDS}
    here = Task.objects.filter(site__key=MINIWOB.key).values_list("key", flat=True)
    if keys <= set(here):
        return MiniWobReport(len(pages), ImportReport(0, len(keys)), {})
    found = read_goals(Path(settings.SUITES_DIR), pages, SEEDS)
    with transaction.atomic():
        register_sites(sites=[_site()])
        tasks = list(build_tasks(found.goals))
        report = import_tasks(tasks=tasks, origin=Task.Origin.IMPORTED)
    return MiniWobReport(len(pages), report, found.failed)


def _site() -> Site:
    return Site(
        key=MINIWOB.key,
        name=MINIWOB.name,
        description=MINIWOB.description,
        placeholder=MINIWOB.placeholder,
    )
