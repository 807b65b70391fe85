"""Tasks from files in WebArena's JSON format: all of them, or none."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import TaskImportError
from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task
from curriculum.services.sites import make_known_sites, register_sites
from curriculum.task_files import reading, suites
from curriculum.task_files.types import Entry, TaskFileError

MOST_TASKS = 100_000
LONGEST_INSTRUCTION = 10_000
# WebArena starts some tasks in several tabs, whose addresses stand in a row.
LONGEST_ADDRESS = 2000
DEEPEST = 20
EVALUATORS = frozenset(
    {"string_match", "url_match", "program_html", "state_match", "page_reward"}
)
RULE_SETS = ("webarena", "webarena-lite", "browsergym")


@dataclasses.dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        created: Tasks that were written.
        kept: Tasks that were there already.
        repeated: Entries of a published file that only repeat another.
        suite: Title of the published file that was recognised, or "".
        sites: Keys of sites that were registered and still need an address.
    """

    created: int
    kept: int
    repeated: int = 0
    suite: str = ""
    sites: tuple[str, ...] = ()

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

    Raises:
        TaskImportError: Names the line, the entry, the field and what is wrong;
            nothing was written.
    """
    plan = _plan(tasks, origin)
    register_sites(sites=plan.sites)
    Task.objects.bulk_create(plan.tasks, batch_size=500)
    return plan.report


def check_tasks(*, tasks: Sequence[Any]) -> ImportReport:
    """Say what an import would do; nothing is written.

    Raises:
        TaskImportError: As the import would.
    """
    return _plan(tasks, Task.Origin.IMPORTED).report


def _plan(tasks: Sequence[Any], origin: str) -> _Plan:
    if not isinstance(tasks, list | tuple):
        raise TaskImportError(gettext("A task file holds a list of task objects."))
    if len(tasks) > MOST_TASKS:
        raise TaskImportError(
            gettext("At most %(most_tasks)s tasks at once.")
            % {"most_tasks": MOST_TASKS}
        )
    entries, repeated, suite = prepare_entries(tasks)
    named = suites.list_sites(entries) if suite else ()
    new_sites = make_known_sites(keys=named)
    sites = {site.key: site for site in (*Site.objects.all(), *new_sites)}
    rows = [_read_task(entry, sites, origin) for entry in entries]
    _refuse_repeats(rows, entries)
    present = dict(_find_present([row.key for row in rows]))
    for entry, row in zip(entries, rows, strict=True):
        if present.get(row.key, row.digest) != row.digest:
            raise TaskImportError(
                gettext("%(place)s: key: %(key)s already names another task.")
                % {"place": entry.place, "key": repr(row.key)}
            )
    fresh = [row for row in rows if row.key not in present]
    report = ImportReport(
        created=len(fresh),
        kept=len(rows) - len(fresh),
        repeated=repeated,
        suite=suite.title if suite else "",
        sites=tuple(site.key for site in new_sites),
    )
    return _Plan(new_sites, fresh, report)


def prepare_entries(
    tasks: Sequence[Any],
) -> tuple[list[Entry], int, suites.Suite | None]:
    """Number the tasks, and write down what a published file leaves unsaid."""
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
        TaskImportError: Says on which line the file cannot be read.
    """
    try:
        return reading.read_bytes(data, name)
    except TaskFileError as error:
        raise TaskImportError(str(error)) from None


def _find_present(keys: Sequence[str]) -> list[tuple[str, str]]:
    """Return (key, digest) of those that exist, asked in batches."""
    found: list[tuple[str, str]] = []
    for start in range(0, len(keys), 500):
        batch = Task.objects.filter(key__in=keys[start : start + 500])
        found.extend(batch.values_list("key", "digest"))
    return found


def _refuse_repeats(rows: Sequence[Task], entries: Sequence[Entry]) -> None:
    seen: dict[str, int] = {}
    for entry, row in zip(entries, rows, strict=True):
        if row.key in seen:
            raise TaskImportError(
                gettext("%(place)s: key: %(key)s is also that of task %(other)s.")
                % {
                    "place": entry.place,
                    "key": repr(row.key),
                    "other": seen[row.key],
                }
            )
        seen[row.key] = entry.number


def _read_task(entry: Entry, sites: dict[str, Site], origin: str) -> Task:
    """Check one object field by field."""
    reader = _Reader(entry)
    item = reader.item
    site_keys = reader.texts("sites")
    for key in site_keys:
        if key not in sites:
            known = ", ".join(sorted(sites)) or gettext("none; load some first")
            raise reader.error(
                "sites",
                gettext("unknown site %(name)s (known: %(known)s)")
                % {"name": repr(key), "known": known},
            )
    instruction = " ".join(reader.text("intent", LONGEST_INSTRUCTION).split())
    start_url = reader.text("start_url", LONGEST_ADDRESS)
    _check_start_url(reader, start_url, sites)
    _check_evaluation(reader)
    if item.get("rule_set", "webarena") not in RULE_SETS:
        raise reader.error("rule_set", _say_choices(RULE_SETS))
    if "suite" in item and item["suite"] not in suites.PAGE_SUITES:
        raise reader.error("suite", _say_choices(suites.PAGE_SUITES))
    split = item.get("split", Task.Split.TRAIN)
    if split not in Task.Split.values:
        raise reader.error("split", _say_choices(Task.Split.values))
    steps = item.get("optimal_steps")
    if steps is not None and (type(steps) is not int or not 0 <= steps <= 1000):
        raise reader.error(
            "optimal_steps", gettext("must be a whole number up to 1000")
        )
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
        raise reader.error(
            "task_id", gettext("must be a whole number when there is no key")
        )
    return f"webarena.{number}"


def _read_template(reader: _Reader, item: dict[str, Any]) -> str:
    if "template_key" in item:
        return reader.text("template_key", 80)
    number = item.get("intent_template_id")
    return f"webarena.{number}" if type(number) is int else ""


def _check_start_url(reader: _Reader, url: str, sites: dict[str, Site]) -> None:
    """Accept a site's placeholder or an http address, and nothing else."""
    known = tuple(site.placeholder for site in sites.values())
    for part in url.split(" |AND| "):
        if not part.startswith((*known, "http://", "https://")):
            raise reader.error(
                "start_url",
                gettext("must start with http(s):// or one of %(known)s")
                % {"known": ", ".join(known)},
            )


def _check_evaluation(reader: _Reader) -> None:
    """Check the kinds of evaluators; a task without any is allowed."""
    rules = reader.item.get("eval")
    if rules is None or rules == {}:
        return
    if not isinstance(rules, dict):
        raise reader.error("eval", gettext("must be an object"))
    kinds = rules.get("eval_types")
    if not isinstance(kinds, list) or not kinds:
        raise reader.error(
            "eval.eval_types", gettext("must be a list of evaluator names")
        )
    for kind in kinds:
        if kind not in EVALUATORS:
            known = ", ".join(sorted(EVALUATORS))
            raise reader.error(
                "eval.eval_types",
                gettext("unknown evaluator %(name)s (known: %(known)s)")
                % {"name": repr(kind), "known": known},
            )


class _Reader:
    """Reads fields of one task object; its errors name the entry and the field."""

    def __init__(self, entry: Entry) -> None:
        self.place = entry.place
        if not isinstance(entry.item, dict):
            raise self._refuse(gettext("must be an object"))
        self.item: dict[str, Any] = entry.item
        fault = _find_fault(self.item)
        if fault:
            raise self._refuse(fault)

    def error(self, field: str, what: str) -> TaskImportError:
        return self._refuse(f"{field}: {what}")

    def _refuse(self, what: str) -> TaskImportError:
        return TaskImportError(
            gettext("%(place)s: %(what)s.") % {"place": self.place, "what": what}
        )

    def text(self, field: str, longest: int) -> str:
        value = self.item.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.error(field, gettext("must be a text that is not empty"))
        if len(value) > longest:
            raise self.error(
                field,
                gettext("has more than %(longest)s characters") % {"longest": longest},
            )
        return value.strip()

    def texts(self, field: str) -> list[str]:
        value = self.item.get(field)
        if not isinstance(value, list) or not value:
            raise self.error(field, gettext("must be a list that is not empty"))
        for entry in value:
            if not isinstance(entry, str):
                raise self.error(field, gettext("must hold texts only"))
        return value


def _say_choices(known: Sequence[str]) -> str:
    return gettext("must be one of %(known)s") % {"known": ", ".join(known)}


def _find_fault(value: Any, depth: int = 0) -> str:
    """Say what a database could not store as JSON; "" when it can."""
    if depth > DEEPEST:
        return gettext("nested too deeply")
    if isinstance(value, str):
        return (
            "" if _is_storable(value) else gettext("contains a character that is none")
        )
    if isinstance(value, float):
        return "" if math.isfinite(value) else gettext("contains a number that is none")
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    else:
        inner = value if isinstance(value, list) else []
    return next(filter(None, (_find_fault(entry, depth + 1) for entry in inner)), "")


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
