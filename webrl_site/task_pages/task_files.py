"""A person's task file: checked, and imported on request."""

from __future__ import annotations

import dataclasses
from typing import Any

from curriculum.evolution.types import digest_task
from curriculum.models import Site
from curriculum.selectors.task_digests import list_with_digests
from curriculum.services import (
    ImportReport,
    check_tasks,
    import_tasks,
    prepare_entries,
    read_task_file,
)
from curriculum.task_files.types import Entry
from curriculum.texts.saying import say
from rollouts.task_lint import KINDS, Finding, count_kinds, lint_tasks

MAX_NAMED = 12


@dataclasses.dataclass(frozen=True, slots=True)
class FindingGroup:
    """The same finding on one task or many."""

    kind: str
    field: str
    message: str
    findings: list[Finding]

    def says(self) -> str:
        """The message in the reader's language."""
        return say(self.message)

    def named(self) -> list[Finding]:
        """The first tasks that have it."""
        return self.findings[:MAX_NAMED]

    def more(self) -> int:
        """How many others have it."""
        return max(len(self.findings) - MAX_NAMED, 0)


@dataclasses.dataclass(frozen=True, slots=True)
class FileReport:
    """What is in a task file.

    Attributes:
        tasks: How many tasks it holds.
        findings: The linter's findings, in the order of the tasks.
        imported: What the import did; None if the file was only checked.
        unreachable: Sites of the import that have no address yet.
    """

    tasks: int
    findings: list[Finding]
    imported: ImportReport | None = None
    unreachable: tuple[str, ...] = ()

    def kinds(self) -> list[tuple[str, int, str]]:
        """Each kind of finding, how many tasks have it, and what it means."""
        counts = count_kinds(self.findings)
        return [(kind, count, say(KINDS[kind])) for kind, count in counts.items()]

    def groups(self) -> list[FindingGroup]:
        """Each finding with the tasks that have it, the most serious kind first."""
        groups: dict[tuple[str, str, str], FindingGroup] = {}
        for one in self.findings:
            says = (one.kind, one.field, one.message)
            group = groups.setdefault(says, FindingGroup(*says, []))
            group.findings.append(one)
        kinds = list[str](KINDS)
        return sorted(groups.values(), key=lambda group: kinds.index(group.kind))


def check_file(data: bytes, name: str) -> FileReport:
    """Lint a file that could be imported; nothing is written.

    Raises:
        TaskImportError: The reason why an import would be refused.
    """
    read = read_task_file(data, name)
    check_tasks(tasks=read)
    entries, _, _ = prepare_entries(read)
    return FileReport(len(entries), _look_at(entries))


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
    return FileReport(len(entries), _look_at(entries), report, keys)


def _look_at(entries: list[Entry]) -> list[Finding]:
    return _lint(entries) + _find_contradictions(entries)


def _lint(entries: list[Entry]) -> list[Finding]:
    return lint_tasks(
        (entry.place, entry.item) for entry in entries if isinstance(entry.item, dict)
    )


def _find_contradictions(entries: list[Entry]) -> list[Finding]:
    """Return the tasks with the same instruction as another but a different evaluator.

    Instructions are compared as when duplicates among proposals are found.
    """
    asked = {_digest(entry.item): entry for entry in entries}
    keys = {_key(entry.item) for entry in entries}
    return [
        Finding(
            place=asked[digest].place,
            key=_key(asked[digest].item),
            kind="suspicious",
            field="eval",
            message=f"the same instruction as {key}, with another check",
        )
        for key, digest, spec in list_with_digests(list(asked))
        if key not in keys and _differ(spec, asked[digest].item)
    ]


def _digest(item: dict[str, Any]) -> str:
    return digest_task(item["intent"], item["start_url"])


def _key(item: dict[str, Any]) -> str:
    return str(item.get("key") or f"webarena.{item.get('task_id')}")


def _differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    rules = one.get("eval"), other.get("eval")
    return all(rules) and rules[0] != rules[1]
