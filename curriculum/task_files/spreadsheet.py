"""Tasks from a spreadsheet: one per row, with the columns named in the first row."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.utils.translation import gettext

from curriculum.evolution.types import digest_task
from curriculum.task_files.fields import quote
from curriculum.task_files.types import Entry, Refusal, Refusals, TaskFileError

NEEDED = ("instruction", "site", "start_url")
# A cell of these holds several values, separated by semicolons.
SEVERAL = ("site", "answer_includes")
OPTIONAL = (
    *("key", "split", "template", "optimal_steps", "rule_set"),
    *("answer", "answer_includes", "end_url"),
)
# Hexadecimal digits of the digest in a generated key; 64 bits do not collide.
KEY_DIGITS = 16
# A longer number is refused like any text; up to 1000 steps are accepted.
MAX_STEPS_LENGTH = 9
RENAMED = {"instruction": "intent", "template": "template_key"}


def read_csv(text: str) -> list[Entry]:
    """Read tasks in CSV.

    The columns instruction, site and start_url are needed; key, split, template,
    optimal_steps and rule_set are optional, and so are the evaluators answer (the
    exact answer), answer_includes (phrases) and end_url (the last page). A task
    without a key gets one from its instruction and start_url, so that importing a
    file twice imports it once.

    Raises:
        TaskFileError: Columns are missing or unknown, or rows have too many cells.
    """
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        _check_columns([name or "" for name in rows.fieldnames or ()])
        return _read_rows(rows)
    except csv.Error as error:
        line = rows.line_num + 1
        raise TaskFileError(
            gettext("Line %(line)s is not CSV: %(reason)s.")
            % {"line": line, "reason": error}
        ) from None


def _check_columns(names: list[str]) -> None:
    refusals = Refusals()
    known = NEEDED + OPTIONAL
    for name in NEEDED:
        if name not in names:
            told = gettext("Line 1: the column '%(name)s' is missing.")
            refusals.add(Refusal(told % {"name": name}, line=1, field=name))
    for name in names:
        if name not in known:
            told = gettext("Line 1: unknown column %(name)s (known: %(known)s).")
            figures = {"name": quote(name), "known": ", ".join(known)}
            refusals.add(Refusal(told % figures, line=1))
    _raise_if_any(refusals)


def _read_rows(rows: csv.DictReader[str]) -> list[Entry]:
    entries: list[Entry] = []
    refusals = Refusals()
    line = 2
    for number, row in enumerate(rows, 1):
        extra = row.pop(None, None)
        if extra is not None:
            told = gettext("Line %(line)s has more cells than the first row.")
            refusals.add(Refusal(told % {"line": line}, number, line))
        cells = {name: (cell or "").strip() for name, cell in row.items()}
        task = _make_task({k: v for k, v in cells.items() if v})
        entries.append(Entry(number, line, task))
        line = rows.line_num + 1
    _raise_if_any(refusals)
    return entries


def _raise_if_any(refusals: Refusals) -> None:
    if refusals.count:
        raise TaskFileError(refusals.told[0].message, refusals)


def _make_task(cells: dict[str, str]) -> dict[str, Any]:
    task: dict[str, Any] = {
        RENAMED.get(name, name): cells[name]
        for name in ("key", "split", "template", "rule_set", "instruction", "start_url")
        if name in cells
    }
    task.setdefault("key", _make_key(cells))
    task["sites"] = _split(cells.get("site", ""))
    if "optimal_steps" in cells:
        steps = cells["optimal_steps"]
        # `int` refuses digits such as "²" and very long numbers.
        is_number = steps.isdecimal() and len(steps) <= MAX_STEPS_LENGTH
        task["optimal_steps"] = int(steps) if is_number else steps
    if rules := _make_rules(cells):
        task["eval"] = rules
    return task


def _make_key(cells: dict[str, str]) -> str:
    digest = digest_task(cells.get("instruction", ""), cells.get("start_url", ""))
    return f"csv.{digest[:KEY_DIGITS]}"


def _make_rules(cells: dict[str, str]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    if "answer" in cells:
        answers["exact_match"] = cells["answer"]
    if "answer_includes" in cells:
        answers["must_include"] = _split(cells["answer_includes"])
    kinds = ["string_match"] if answers else []
    kinds += ["url_match"] if "end_url" in cells else []
    if not kinds:
        return {}
    return {
        "eval_types": kinds,
        "reference_answers": answers or None,
        "reference_url": cells.get("end_url", ""),
        "program_html": [],
    }


def _split(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]
