"""A task file from a person: looked at, and imported when asked."""

from __future__ import annotations

import dataclasses
from typing import Any

from curriculum.models import Site
from curriculum.services import (
    ImportReport,
    import_tasks,
    prepare_entries,
    read_task_file,
)
from rollouts.task_lint import KINDS, Finding, count_kinds, lint_tasks

MOST_SHOWN = 200


@dataclasses.dataclass(frozen=True, slots=True)
class FileReport:
    """What is in a task file.

    Attributes:
        tasks: How many tasks it holds.
        findings: What the linter has to say, in the order of the tasks.
        imported: What the import did; None when the file was only looked at.
        unreachable: Sites of the import that have no address yet.
    """

    tasks: int
    findings: list[Finding]
    imported: ImportReport | None = None
    unreachable: tuple[str, ...] = ()

    def kinds(self) -> list[tuple[str, int, str]]:
        """Each kind of finding, how many tasks have it, and what it means."""
        counts = count_kinds(self.findings)
        return [(kind, count, KINDS[kind]) for kind, count in counts.items()]

    def first_findings(self) -> list[Finding]:
        """Those that a page shows, without the many that only say "unchecked"."""
        told = [one for one in self.findings if one.kind != "unchecked"]
        return told[:MOST_SHOWN]


def check_file(data: bytes, name: str) -> FileReport:
    """Read and lint a file; nothing is written.

    Raises:
        TaskImportError: Names the line and what is wrong.
    """
    entries, _, _ = prepare_entries(read_task_file(data, name))
    return FileReport(len(entries), _lint(entries))


def import_file(data: bytes, name: str) -> FileReport:
    """Lint a file and import it, all of it or nothing.

    Raises:
        TaskImportError: Names the line, the task, the field and what is wrong.
    """
    read = read_task_file(data, name)
    report = import_tasks(tasks=read)
    entries, _, _ = prepare_entries(read)
    named = {key for entry in entries for key in entry.item["sites"]}
    missing = Site.objects.filter(key__in=named, kind=Site.Kind.EXTERNAL, base_url="")
    keys = tuple(missing.order_by("key").values_list("key", flat=True))
    return FileReport(len(entries), _lint(entries), report, keys)


def _lint(entries: list[Any]) -> list[Finding]:
    return lint_tasks(
        (entry.place, entry.item) for entry in entries if isinstance(entry.item, dict)
    )
