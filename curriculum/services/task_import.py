"""Tasks from files in WebArena's JSON format: all of them, or none."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import TaskImportError
from curriculum.models import Site, Task
from curriculum.services.leaks import filter_leaks, mark_leaks
from curriculum.services.sites import make_known_sites, register_sites
from curriculum.services.task_rows import read_task
from curriculum.task_files import reading, suites
from curriculum.task_files.types import Entry, Refusal, Refusals, TaskFileError

MAX_TASKS = 100_000


@dataclasses.dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import.

    Attributes:
        created: Tasks that were written.
        kept: Tasks that existed already.
        repeated: Entries of a published file that only repeat another.
        suite: Title of the published file that was recognised, or "".
        sites: Keys of sites that were registered and still need an address.
        leaks: Training tasks that resemble a test task: stored, but used by no run.
    """

    created: int
    kept: int
    repeated: int = 0
    suite: str = ""
    sites: tuple[str, ...] = ()
    leaks: int = 0

    @property
    def total(self) -> int:
        return self.created + self.kept


@dataclasses.dataclass(frozen=True, slots=True)
class _Plan:
    """What an import would write, none of it written yet."""

    sites: list[Site]
    tasks: list[Task]
    report: ImportReport


@transaction.atomic
def import_tasks(
    *, tasks: Sequence[Any], origin: str = Task.Origin.IMPORTED
) -> ImportReport:
    """Write the tasks that are new by key; `tasks` are objects or entries of a file.

    Training tasks that resemble a test task, written now or before, are filtered out.

    Raises:
        TaskImportError: Gives the line, the entry, the field and the error of each
            mistake; nothing was written.
    """
    plan = _plan(tasks, origin)
    register_sites(sites=plan.sites)
    Task.objects.bulk_create(plan.tasks, batch_size=500)
    leaks = plan.report.leaks + filter_leaks(plan.tasks)
    return dataclasses.replace(plan.report, leaks=leaks)


def check_tasks(*, tasks: Sequence[Any]) -> ImportReport:
    """Say what an import would do; nothing is written.

    Raises:
        TaskImportError: As the import would.
    """
    return _plan(tasks, Task.Origin.IMPORTED).report


def _plan(tasks: Sequence[Any], origin: str) -> _Plan:
    if not isinstance(tasks, list | tuple):
        raise TaskImportError(
            gettext("A task file must contain a list of task objects.")
        )
    if len(tasks) > MAX_TASKS:
        raise TaskImportError(
            gettext("At most %(most_tasks)s tasks at once.") % {"most_tasks": MAX_TASKS}
        )
    entries, repeated, suite = prepare_entries(tasks)
    named = suites.list_sites(entries) if suite else ()
    new_sites = make_known_sites(keys=named)
    sites = {site.key: site for site in (*Site.objects.all(), *new_sites)}
    refusals = Refusals()
    read = [(entry, read_task(entry, sites, origin, refusals)) for entry in entries]
    sound = [(entry, row) for entry, row in read if row is not None]
    _refuse_repeats(sound, refusals)
    rows = [row for _, row in sound]
    present = dict(_find_present([row.key for row in rows]))
    _refuse_taken(sound, present, refusals)
    if refusals.count:
        raise TaskImportError(refusals.told[0].message, refusals)
    fresh = [row for row in rows if row.key not in present]
    leaks = mark_leaks(fresh)
    report = ImportReport(
        created=len(fresh),
        kept=len(rows) - len(fresh),
        repeated=repeated,
        suite=suite.title if suite else "",
        sites=tuple(site.key for site in new_sites),
        leaks=leaks,
    )
    return _Plan(new_sites, fresh, report)


def prepare_entries(
    tasks: Sequence[Any],
) -> tuple[list[Entry], int, suites.Suite | None]:
    """Number the tasks, and add what a published file leaves implicit."""
    entries = [
        task if isinstance(task, Entry) else Entry(number, 0, task)
        for number, task in enumerate(tasks, 1)
    ]
    suite = suites.recognise(entries)
    if suite is None:
        return entries, 0, None
    completed, repeated = suites.complete(entries, suite)
    return completed, repeated, suite


def read_task_file(data: bytes, name: str = "") -> list[Entry]:
    """Read a JSON list, JSON lines or CSV.

    Raises:
        TaskImportError: Says which lines of the file cannot be read.
    """
    try:
        return reading.read_bytes(data, name)
    except TaskFileError as error:
        raise TaskImportError(str(error), error.refusals) from None


def _find_present(keys: Sequence[str]) -> list[tuple[str, str]]:
    """Return (key, digest) of those that exist, queried in batches."""
    found: list[tuple[str, str]] = []
    for start in range(0, len(keys), 500):
        batch = Task.objects.filter(key__in=keys[start : start + 500])
        found.extend(batch.values_list("key", "digest"))
    return found


def _refuse_repeats(read: Sequence[tuple[Entry, Task]], refusals: Refusals) -> None:
    seen: dict[str, int] = {}
    for entry, row in read:
        if row.key in seen:
            told = gettext("%(place)s: key: %(key)s is also that of task %(other)s.")
            figures = {"key": repr(row.key), "other": seen[row.key]}
            _refuse_key(entry, told % {"place": entry.place, **figures}, refusals)
        seen[row.key] = entry.number


def _refuse_taken(
    read: Sequence[tuple[Entry, Task]], present: dict[str, str], refusals: Refusals
) -> None:
    """Refuse keys of existing tasks that ask for something else."""
    for entry, row in read:
        if present.get(row.key, row.digest) != row.digest:
            told = gettext("%(place)s: key: %(key)s already names another task.")
            figures = {"place": entry.place, "key": repr(row.key)}
            _refuse_key(entry, told % figures, refusals)


def _refuse_key(entry: Entry, message: str, refusals: Refusals) -> None:
    refusals.add(Refusal(message, entry.number, entry.line, "key"))
