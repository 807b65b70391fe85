"""Tasks from a spreadsheet: one row a task, its columns named in the first row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext

from curriculum.task_files.types import Entry, TaskFileError

NEEDED = ("instruction", "site", "start_url")
# A cell of these holds several values, separated by semicolons.
SEVERAL = ("site", "answer_includes")
OPTIONAL = (
    *("key", "split", "template", "optimal_steps", "rule_set"),
    *("answer", "answer_includes", "end_url"),
)
RENAMED = {"instruction": "intent", "template": "template_key"}


def read_csv(text: str) -> list[Entry]:
    """Read tasks in CSV.

    The columns instruction, site and start_url are needed; key, split, template,
    optimal_steps and rule_set are optional, and so are the evaluators answer (the
    exact answer), answer_includes (phrases) and end_url (the last page).

    Raises:
        TaskFileError: A column is missing or unknown, or a row has too many cells.
    """
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        _check_columns([name or "" for name in rows.fieldnames or ()])
        return list(_read_rows(rows))
    except csv.Error as error:
        line = rows.line_num + 1
        raise TaskFileError(
            gettext("Line %(line)s is not CSV: %(reason)s.")
            % {"line": line, "reason": error}
        ) from None


def _check_columns(names: list[str]) -> None:
    missing = [name for name in NEEDED if name not in names]
    unknown = [name for name in names if name not in NEEDED + OPTIONAL]
    if missing:
        raise TaskFileError(
            gettext("Line 1: the column '%(name)s' is missing.") % {"name": missing[0]}
        )
    if unknown:
        known = ", ".join(NEEDED + OPTIONAL)
        raise TaskFileError(
            gettext("Line 1: unknown column %(name)s (known: %(known)s).")
            % {"name": repr(unknown[0]), "known": known}
        )


def _read_rows(rows: csv.DictReader[str]) -> Iterator[Entry]:
    line = 2
    for number, row in enumerate(rows, 1):
        extra = row.pop(None, None)
        if extra is not None:
            raise TaskFileError(
                gettext("Line %(line)s has more cells than the first row.")
                % {"line": line}
            )
        cells = {name: (cell or "").strip() for name, cell in row.items()}
        yield Entry(number, line, _make_task({k: v for k, v in cells.items() if v}))
        line = rows.line_num + 1


def _make_task(cells: dict[str, str]) -> dict[str, Any]:
    task: dict[str, Any] = {
        RENAMED.get(name, name): cells[name]
        for name in ("key", "split", "template", "rule_set", "instruction", "start_url")
        if name in cells
    }
    task["sites"] = _split(cells.get("site", ""))
    if "optimal_steps" in cells:
        steps = cells["optimal_steps"]
        task["optimal_steps"] = int(steps) if steps.isdigit() else steps
    if rules := _make_rules(cells):
        task["eval"] = rules
    return task


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
