"""Tasks from files in WebArena's JSON format: all of them, or none."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from curriculum.errors import TaskImportError
from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task

MOST_TASKS = 100_000
LONGEST_INSTRUCTION = 4000
DEEPEST = 20
EVALUATORS = frozenset({"string_match", "url_match", "program_html", "state_match"})


@dataclasses.dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did; tasks that were there already count as kept."""

    created: int
    kept: int

    @property
    def total(self) -> int:
        return self.created + self.kept


@transaction.atomic
def import_tasks(
    *, tasks: Sequence[Any], origin: str = Task.Origin.IMPORTED
) -> ImportReport:
    """Write the tasks that are new by key.

    Raises:
        TaskImportError: Names the entry, the field and what is wrong; nothing was
            written.
    """
    if not isinstance(tasks, list | tuple):
        raise TaskImportError("A task file holds a list of task objects.")
    if len(tasks) > MOST_TASKS:
        raise TaskImportError(f"At most {MOST_TASKS} tasks at once.")
    sites = {site.key: site for site in Site.objects.all()}
    rows = [_read_task(index, item, sites, origin) for index, item in enumerate(tasks)]
    _refuse_repeats(rows)
    present = dict(_find_present([row.key for row in rows]))
    for index, row in enumerate(rows):
        if present.get(row.key, row.digest) != row.digest:
            raise TaskImportError(
                f"Task {index}: key: {row.key!r} already names another task."
            )
    fresh = [row for row in rows if row.key not in present]
    Task.objects.bulk_create(fresh, batch_size=500)
    return ImportReport(created=len(fresh), kept=len(rows) - len(fresh))


def _find_present(keys: Sequence[str]) -> list[tuple[str, str]]:
    """Return (key, digest) of those that exist, asked in batches."""
    found: list[tuple[str, str]] = []
    for start in range(0, len(keys), 500):
        batch = Task.objects.filter(key__in=keys[start : start + 500])
        found.extend(batch.values_list("key", "digest"))
    return found


def _refuse_repeats(rows: Sequence[Task]) -> None:
    seen: dict[str, int] = {}
    for index, row in enumerate(rows):
        if row.key in seen:
            raise TaskImportError(
                f"Task {index}: key: {row.key!r} is also that of task {seen[row.key]}."
            )
        seen[row.key] = index


def _read_task(index: int, item: Any, sites: dict[str, Site], origin: str) -> Task:
    """Check one object field by field."""
    reader = _Reader(index, item)
    site_keys = reader.texts("sites")
    for key in site_keys:
        if key not in sites:
            known = ", ".join(sorted(sites)) or "none; load some first"
            raise reader.error("sites", f"unknown site {key!r} (known: {known})")
    instruction = " ".join(reader.text("intent", LONGEST_INSTRUCTION).split())
    start_url = reader.text("start_url", 500)
    _check_start_url(reader, start_url, sites)
    _check_evaluation(reader)
    split = item.get("split", Task.Split.TRAIN)
    if split not in Task.Split.values:
        raise reader.error("split", f"must be one of {', '.join(Task.Split.values)}")
    steps = item.get("optimal_steps")
    if steps is not None and (type(steps) is not int or not 0 <= steps <= 1000):
        raise reader.error("optimal_steps", "must be a whole number up to 1000")
    return Task(
        key=_read_key(reader, item),
        site=sites[site_keys[0]],
        instruction=instruction,
        start_url=start_url,
        spec=item,
        template_key=_read_template(reader, item),
        split=split,
        origin=origin,
        status=Task.Status.ACCEPTED,
        digest=digest_task(instruction, start_url),
        optimal_steps=steps,
    )


def _read_key(reader: _Reader, item: dict[str, Any]) -> str:
    """Return the task's own name, or one made from WebArena's number."""
    if "key" in item:
        return reader.text("key", 120)
    number = item.get("task_id")
    if type(number) is not int or number < 0:
        raise reader.error("task_id", "must be a whole number when there is no key")
    return f"webarena.{number}"


def _read_template(reader: _Reader, item: dict[str, Any]) -> str:
    if "template_key" in item:
        return reader.text("template_key", 80)
    number = item.get("intent_template_id")
    return f"webarena.{number}" if type(number) is int else ""


def _check_start_url(reader: _Reader, url: str, sites: dict[str, Site]) -> None:
    """Accept a site's placeholder or an http address, and nothing else."""
    first = url.split(" |AND| ")[0]
    known = tuple(site.placeholder for site in sites.values())
    if first.startswith(known) or first.startswith(("http://", "https://")):
        return
    raise reader.error(
        "start_url", f"must start with http(s):// or one of {', '.join(known)}"
    )


def _check_evaluation(reader: _Reader) -> None:
    """Check the kinds of evaluators; a task without any is allowed."""
    rules = reader.item.get("eval")
    if rules is None or rules == {}:
        return
    if not isinstance(rules, dict):
        raise reader.error("eval", "must be an object")
    kinds = rules.get("eval_types")
    if not isinstance(kinds, list) or not kinds:
        raise reader.error("eval.eval_types", "must be a list of evaluator names")
    for kind in kinds:
        if kind not in EVALUATORS:
            known = ", ".join(sorted(EVALUATORS))
            raise reader.error(
                "eval.eval_types", f"unknown evaluator {kind!r} (known: {known})"
            )


class _Reader:
    """Reads fields of one task object; its errors name the entry and the field."""

    def __init__(self, index: int, item: Any) -> None:
        self.index = index
        if not isinstance(item, dict):
            raise TaskImportError(f"Task {index}: must be an object.")
        self.item: dict[str, Any] = item
        fault = _find_fault(item)
        if fault:
            raise TaskImportError(f"Task {index}: {fault}.")

    def error(self, field: str, what: str) -> TaskImportError:
        return TaskImportError(f"Task {self.index}: {field}: {what}.")

    def text(self, field: str, longest: int) -> str:
        value = self.item.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.error(field, "must be a text that is not empty")
        if len(value) > longest:
            raise self.error(field, f"has more than {longest} characters")
        return value.strip()

    def texts(self, field: str) -> list[str]:
        value = self.item.get(field)
        if not isinstance(value, list) or not value:
            raise self.error(field, "must be a list that is not empty")
        for entry in value:
            if not isinstance(entry, str):
                raise self.error(field, "must hold texts only")
        return value


def _find_fault(value: Any, depth: int = 0) -> str:
    """Say what a database could not store as JSON; "" when it can."""
    if depth > DEEPEST:
        return "nested too deeply"
    if isinstance(value, str):
        return "" if _is_storable(value) else "contains a character that is none"
    if isinstance(value, float):
        return "" if math.isfinite(value) else "contains a number that is none"
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    else:
        inner = value if isinstance(value, list) else []
    return next(filter(None, (_find_fault(entry, depth + 1) for entry in inner)), "")


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def read_task_file(text: str) -> list[Any]:
    """Parse a JSON list, or JSON lines.

    Raises:
        TaskImportError: Says where the text is not JSON.
    """
    try:
        if text.lstrip().startswith("["):
            data = json.loads(text)
            return list(data)
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise TaskImportError(f"The file is not JSON: {error}.") from None
