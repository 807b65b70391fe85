"""Rows as Parquet, one row group after another.

pyarrow is installed with `datasets`, which training needs, so a smaller library would
only be an additional one. Its import is slow, so it is imported only for an export as
Parquet, and not at the start of the web process.
"""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from webrl_site.exports.tables import Column, Row
from webrl_site.exports.text import plain

if TYPE_CHECKING:
    import pyarrow


def write_parquet(
    columns: Sequence[Column], rows: Iterable[Row], group: int
) -> Iterator[bytes]:
    """Write a file, yielding each row group as soon as it is full.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import pyarrow
    from pyarrow import parquet

    schema = _schema(columns)
    sink = io.BytesIO()
    waiting = iter(rows)
    with parquet.ParquetWriter(
        pyarrow.PythonFile(sink, mode="w"), schema, compression="zstd"
    ) as writer:
        while batch := list(itertools.islice(waiting, group)):
            writer.write_batch(_to_batch(schema, columns, batch))
            yield _take(sink)
    yield _take(sink)


def _take(sink: io.BytesIO) -> bytes:
    """Return what was written since the last time, and forget it."""
    data = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return data


def _to_batch(
    schema: pyarrow.Schema, columns: Sequence[Column], rows: list[Row]
) -> pyarrow.RecordBatch:
    import pyarrow

    arrays = [
        pyarrow.array(
            [_to_arrow(column, row[place]) for row in rows],
            type=schema.field(place).type,
        )
        for place, column in enumerate(columns)
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _to_arrow(column: Column, value: object) -> object:
    if column.kind == "json":
        return json.dumps(plain(value), ensure_ascii=False)
    return value


def _schema(columns: Sequence[Column]) -> pyarrow.Schema:
    import pyarrow

    types = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "flag": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
        "json": pyarrow.string(),
    }
    return pyarrow.schema([(column.name, types[column.kind]) for column in columns])
