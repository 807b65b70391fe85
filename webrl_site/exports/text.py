"""Rows as JSON lines and as CSV, in parts of some 64 kB."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from webrl_site.exports.tables import Column, Row

PART = 64 * 1024
# What a spreadsheet may take for a formula; the last four are full-width signs.
FORMULA = (
    *("=", "+", "-", "@", "\t", "\r", "\n", "\0"),
    *("\uff1d", "\uff0b", "\uff0d", "\uff20"),
)


def write_json_lines(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """Write one object a line."""
    names = [column.name for column in columns]
    objects = (
        {name: plain(value) for name, value in zip(names, row, strict=True)}
        for row in rows
    )
    return write_objects(objects)


def write_objects(objects: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Write objects of JSON's own types, one a line."""
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    return _in_parts(lines)


def write_csv(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """Write a table with its names in the first row; no cell is a formula."""
    return _in_parts(_csv_lines(columns, rows))


def _csv_lines(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[str]:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([column.name for column in columns])
    for row in rows:
        writer.writerow(map(to_cell, row))
        yield file.getvalue()
        file.seek(0)
        file.truncate()
    yield file.getvalue()


def to_cell(value: object) -> str:
    """Return a cell's text: empty for nothing, JSON for lists and objects."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    value = plain(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def plain(value: object) -> object:
    """Return the value in JSON's types: times as text, None for NaN and infinity."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _in_parts(texts: Iterable[str]) -> Iterator[bytes]:
    """Join short texts, so that sending costs little a row."""
    held: list[bytes] = []
    size = 0
    for text in texts:
        held.append(text.encode("utf-8", "replace"))
        size += len(held[-1])
        if size >= PART:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
