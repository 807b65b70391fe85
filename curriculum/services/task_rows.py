"""One task of a file: each field checked, and the row that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task
from curriculum.task_files import suites
from curriculum.task_files.fields import FieldReader
from curriculum.task_files.types import Entry

LONGEST_INSTRUCTION = 10_000
# WebArena starts some tasks in several tabs, whose addresses stand in a row.
LONGEST_ADDRESS = 2000
EVALUATORS = frozenset(
    {"string_match", "url_match", "program_html", "state_match", "page_reward"}
)
RULE_SETS = ("webarena", "webarena-lite", "browsergym")


def read_task(entry: Entry, sites: dict[str, Site], origin: str) -> Task:
    """Check one object field by field."""
    reader = FieldReader(entry)
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


def _read_key(reader: FieldReader, item: dict[str, Any]) -> str:
    """Return the task's own name, or one made from WebArena's number."""
    if "key" in item:
        return reader.text("key", 120)
    number = item.get("task_id")
    if type(number) is not int or number < 0:
        raise reader.error(
            "task_id", gettext("must be a whole number when there is no key")
        )
    return f"webarena.{number}"


def _read_template(reader: FieldReader, item: dict[str, Any]) -> str:
    if "template_key" in item:
        return reader.text("template_key", 80)
    number = item.get("intent_template_id")
    return f"webarena.{number}" if type(number) is int else ""


def _check_start_url(reader: FieldReader, url: str, sites: dict[str, Site]) -> None:
    """Accept a site's placeholder or an http address, and nothing else."""
    known = tuple(site.placeholder for site in sites.values())
    for part in url.split(" |AND| "):
        if not part.startswith((*known, "http://", "https://")):
            raise reader.error(
                "start_url",
                gettext("must start with http(s):// or one of %(known)s")
                % {"known": ", ".join(known)},
            )


def _check_evaluation(reader: FieldReader) -> None:
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


def _say_choices(known: Sequence[str]) -> str:
    return gettext("must be one of %(known)s") % {"known": ", ".join(known)}
