"""Each kind of file: its ending, its media type, and its writer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from curriculum.selectors.readers import Reader
from webrl_site.exports import episodes, parquet, text, webrl
from webrl_site.exports.tables import TABLES

JSON_LINES = "application/x-ndjson"
KINDS = tuple(TABLES)
Filters = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        ending: The file name's ending, without a dot.
        media_type: The answer's media type.
        kinds: The tables that are available in it.
        write: Takes a table's name, its reader and its filters; gives the file's parts.
    """

    ending: str
    media_type: str
    kinds: tuple[str, ...]
    write: Callable[[str, Reader, Filters], Iterator[bytes]]


def _write_json_lines(kind: str, reader: Reader, filters: Filters) -> Iterator[bytes]:
    table = TABLES[kind]
    return text.write_json_lines(table.columns, table.rows(reader, filters))


def _write_csv(kind: str, reader: Reader, filters: Filters) -> Iterator[bytes]:
    table = TABLES[kind]
    return text.write_csv(table.columns, table.rows(reader, filters))


def _write_parquet(kind: str, reader: Reader, filters: Filters) -> Iterator[bytes]:
    table = TABLES[kind]
    return parquet.write_parquet(
        table.columns, table.rows(reader, filters), table.group
    )


def _write_webrl(kind: str, reader: Reader, filters: Filters) -> Iterator[bytes]:
    return text.write_objects(webrl.list_traces(**filters))


def _write_sft(kind: str, reader: Reader, filters: Filters) -> Iterator[bytes]:
    return text.write_objects(episodes.list_sft_rows(**filters))


def _write_webarena(kind: str, reader: Reader, filters: Filters) -> Iterator[bytes]:
    return text.write_objects(webrl.list_task_objects(reader, **filters))


FORMATS: dict[str, Format] = {
    "jsonl": Format("jsonl", JSON_LINES, KINDS, _write_json_lines),
    "csv": Format("csv", "text/csv; charset=utf-8", KINDS, _write_csv),
    "parquet": Format(
        "parquet", "application/vnd.apache.parquet", KINDS, _write_parquet
    ),
    "webrl": Format("jsonl", JSON_LINES, ("trajectories",), _write_webrl),
    "sft": Format("jsonl", JSON_LINES, ("trajectories",), _write_sft),
    "webarena": Format("jsonl", JSON_LINES, ("tasks",), _write_webarena),
}


def list_formats(kind: str) -> list[str]:
    """Return the formats available for a table, the usual one first."""
    return [name for name, one in FORMATS.items() if kind in one.kinds]
