"""Bodies of requests: JSON, and task files as they are."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.parsers import JSONParser as PlainJSONParser

from curriculum.task_files.reading import MAX_BYTES
from webrl_site.api.errors import TooLarge


class JSONParser(PlainJSONParser):
    """JSON of a bounded size and depth."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        body = read_body(stream)
        if not body.strip():
            return {}
        try:
            return super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None


class TaskFileParser(BaseParser):
    """A whole task file, in bytes; `media_type` says which kind."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:  # bytes; the library's stub knows mappings alone
        return read_body(stream)


class JSONLinesParser(TaskFileParser):
    """A task a line."""

    media_type = "application/x-ndjson"


class CSVParser(TaskFileParser):
    """A table of tasks."""

    media_type = "text/csv"


def read_body(stream: IO[Any]) -> bytes:
    """Return the body.

    Raises:
        TooLarge: It passes the limit of task files.
    """
    body: bytes = stream.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise TooLarge(f"At most {MAX_BYTES} bytes.")
    return body
