"""Checks each field of a task in a file and makes its row."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext

from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task
from curriculum.task_files import suites
from curriculum.task_files.fields import FieldReader, quote
from curriculum.task_files.types import Entry, Refusals

MAX_INSTRUCTION_LENGTH = 10_000
# WebArena starts some tasks in several tabs; their addresses are joined in one text.
MAX_ADDRESS_LENGTH = 2000
# Digits of WebArena's numbers, which are part of a task's key and template's.
MAX_NUMBER_LENGTH = 18
# A tuple: the file's value may be a list, which is not hashable.
EVALUATORS = (
    "page_reward",
    "program_html",
    "state_match",
    "string_match",
    "url_match",
    "webarena_verified",
)
RULE_SETS = (
    "webarena",
    "webarena-lite",
    "browsergym",
    "webarena-verified",
    "workbench",
)


def read_task(
    entry: Entry, sites: dict[str, Site], origin: str, refusals: Refusals
) -> Task | None:
    """Check one object field by field; None, with all mistakes reported, if any."""
    before = refusals.count
    reader = FieldReader(entry, refusals)
    if not reader.is_object:
        return None
    item = reader.item
    site_keys = _read_sites(reader, sites)
    instruction = " ".join(reader.text("intent", MAX_INSTRUCTION_LENGTH).split())
    start_url = reader.text("start_url", MAX_ADDRESS_LENGTH)
    _check_start_url(reader, start_url, sites)
    _check_evaluation(reader)
    _check_choice(reader, "rule_set", RULE_SETS)
    _check_choice(reader, "suite", suites.PAGE_SUITES)
    _check_choice(reader, "split", Task.Split.values)
    steps = item.get("optimal_steps")
    if steps is not None and (type(steps) is not int or not 0 <= steps <= 1000):
        reader.refuse("optimal_steps", gettext("must be a whole number up to 1000"))
    key, template_key = _read_key(reader), _read_template(reader)
    if refusals.count > before:
        return None
    return Task(
        key=key,
        site=sites[site_keys[0]],
        instruction=instruction,
        start_url=start_url,
        spec=item,
        template_key=template_key,
        split=item.get("split", Task.Split.TRAIN),
        origin=origin,
        status=Task.Status.ACCEPTED,
        digest=digest_task(instruction, start_url),
        optimal_steps=steps,
    )


def _read_sites(reader: FieldReader, sites: dict[str, Site]) -> list[str]:
    keys = reader.texts("sites")
    unknown = next((key for key in keys if key not in sites), None)
    if unknown is not None:
        known = ", ".join(sorted(sites)) or gettext("none; load some first")
        reader.refuse(
            "sites",
            gettext("unknown site %(name)s (known: %(known)s)")
            % {"name": quote(unknown), "known": known},
        )
    return keys


def _read_key(reader: FieldReader) -> str:
    """Return the task's own name, or one made from WebArena's number."""
    if "key" in reader.item:
        return reader.text("key", 120)
    number = reader.item.get("task_id")
    if not _is_number(number):
        reader.refuse("task_id", gettext("must be a whole number when there is no key"))
    return f"webarena.{number}"


def _read_template(reader: FieldReader) -> str:
    if "template_key" in reader.item:
        return reader.text("template_key", 80)
    number = reader.item.get("intent_template_id")
    return f"webarena.{number}" if _is_number(number) else ""


def _is_number(value: object) -> bool:
    """Whether it is a number of a task or template, short enough for its column."""
    return type(value) is int and 0 <= value < 10**MAX_NUMBER_LENGTH


def _check_start_url(reader: FieldReader, url: str, sites: dict[str, Site]) -> None:
    """Accept a site's placeholder or an http address, and nothing else."""
    known = tuple(site.placeholder for site in sites.values())
    allowed = (*known, "http://", "https://")
    # A missing text has been reported already.
    if url and not all(part.startswith(allowed) for part in url.split(" |AND| ")):
        reader.refuse(
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
        reader.refuse("eval", gettext("must be an object"))
        return
    field, kinds = "eval.eval_types", rules.get("eval_types")
    if not isinstance(kinds, list) or not kinds:
        reader.refuse(field, gettext("must be a list of evaluator names"))
        return
    for kind in kinds:
        if kind not in EVALUATORS:
            reader.refuse(
                field,
                gettext("unknown evaluator %(name)s (known: %(known)s)")
                % {"name": quote(kind), "known": ", ".join(EVALUATORS)},
            )


def _check_choice(reader: FieldReader, field: str, known: Sequence[str]) -> None:
    """Accept one of a few words, or that there is no such field."""
    if field in reader.item and reader.item[field] not in known:
        reader.refuse(
            field, gettext("must be one of %(known)s") % {"known": ", ".join(known)}
        )
