"""Reads task files: a JSON list, JSON lines, or CSV, with the line of each task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn

from django.utils.translation import gettext

from curriculum.task_files.spreadsheet import read_csv
from curriculum.task_files.types import Entry, Refusal, Refusals, TaskFileError

MAX_BYTES = 64 * 2**20
BLANKS = " \t\r\n"
_DECODER = json.JSONDecoder()


def read_bytes(data: bytes, name: str = "") -> list[Entry]:
    """Read a file's bytes.

    Raises:
        TaskFileError: It is too large, not UTF-8, or not in a known format.
    """
    if len(data) > MAX_BYTES:
        raise TaskFileError(
            gettext("The file is larger than %(most_bytes)s MiB.")
            % {"most_bytes": MAX_BYTES // 2**20}
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskFileError(
            gettext("The file is not UTF-8 text (byte %(start)s).")
            % {"start": error.start}
        ) from None
    return read_text(text, name)


def read_text(text: str, name: str = "") -> list[Entry]:
    """Read a file's text; the suffix of `name` shows whether it is CSV or JSON.

    Raises:
        TaskFileError: It is not in a known format; says on which line.
    """
    start = text.lstrip(BLANKS)
    if not start:
        raise TaskFileError(gettext("The file is empty."))
    if name.lower().endswith(".csv"):
        return read_csv(text)
    return list(_read_list(text)) if start.startswith("[") else _read_lines(text)


def _read_lines(text: str) -> list[Entry]:
    """Read one task per line; every other line is reported."""
    entries: list[Entry] = []
    refusals = Refusals()
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            item = json.loads(content)
        except (ValueError, RecursionError) as error:
            refusals.add(Refusal(_say_fault(line, error), line=line))
        else:
            entries.append(Entry(len(entries) + 1, line, item))
    if refusals.count:
        # Where no line is JSON the file has another format: one error is enough.
        several = refusals if entries else None
        raise TaskFileError(refusals.told[0].message, several)
    return entries


def _read_list(text: str) -> Iterator[Entry]:
    """Read a JSON list task by task, so that each task's line is known."""
    place = _skip(text, 0) + 1
    line, counted, number = 1, 0, 0
    place = _skip(text, place)
    while text[place : place + 1] != "]":
        line, counted = line + text.count("\n", counted, place), place
        try:
            item, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            _refuse(line, error)
        number += 1
        yield Entry(number, line, item)
        place = _skip(text, end)
        mark = text[place : place + 1]
        if mark == ",":
            place = _skip(text, place + 1)
        elif mark != "]":
            at = line + text.count("\n", counted, place)
            _refuse(
                at, ValueError(gettext("a comma or the end of the list is missing"))
            )
    after = _skip(text, place + 1)
    if after < len(text):
        at = line + text.count("\n", counted, after)
        _refuse(at, ValueError(gettext("there is text after the list")))


def _skip(text: str, place: int) -> int:
    while text[place : place + 1] and text[place] in BLANKS:
        place += 1
    return place


def _refuse(line: int, error: Exception) -> NoReturn:
    raise TaskFileError(_say_fault(line, error)) from None


def _say_fault(line: int, error: Exception) -> str:
    is_deep = isinstance(error, RecursionError)
    reason = gettext("nested too deeply") if is_deep else str(error)
    if isinstance(error, json.JSONDecodeError):
        line, reason = max(line, error.lineno), error.msg
    return gettext("Line %(line)s is not JSON: %(reason)s.") % {
        "line": line,
        "reason": reason,
    }
