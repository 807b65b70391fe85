"""REST: whole lists as files, streamed."""

from __future__ import annotations

import importlib.util
import secrets
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from curriculum.api.filters import describe_filters, read_filters
from curriculum.api.permissions import CanRead
from webrl_site.api.errors import FormatMissing
from webrl_site.exports.formats import FORMATS, KINDS, Format, list_formats
from webrl_site.exports.tables import TABLES

# A request with this header gets an end mark after the file, which the answer's header
# of the same name gives. A proxy that reads HTTP/1.0 from here cannot tell an answer
# that broke off from a whole one; whoever finds the mark has all of it.
END_HEADER = "X-Export-End"


class AnyNegotiation(DefaultContentNegotiation):
    """`format` chooses the file; errors are problem JSON, whatever is accepted."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type


def _describe_parameters() -> list[OpenApiParameter]:
    """Return every table's filters; which one takes which is in docs/api.md."""
    found: dict[str, OpenApiParameter] = {}
    for table in TABLES.values():
        for one in describe_filters(table.filter_form):
            found[one["name"]] = OpenApiParameter(
                one["name"], _type(one["schema"]), description=one["description"]
            )
    return list(found.values())


def _type(schema: dict[str, Any]) -> OpenApiTypes:
    return OpenApiTypes.INT64 if schema["type"] == "integer" else OpenApiTypes.STR


class ExportView(APIView):
    """A whole list as a file, oldest rows first, with the list's filters.

    `format` is `jsonl`, `csv` or `parquet`; trajectories also come as `webrl`, a
    step a line as WebRL records them, and as `sft`, a step of a successful training
    episode a line as WebRL publishes them; accepted tasks, or those of the `status`
    that is asked for, also as `webarena`, which an import reads back.
    """

    permission_classes = [CanRead]
    content_negotiation_class = AnyNegotiation

    @extend_schema(
        parameters=[
            OpenApiParameter("kind", str, "path", enum=KINDS),
            OpenApiParameter("format", str, enum=list(FORMATS), default="jsonl"),
            OpenApiParameter(
                END_HEADER,
                str,
                "header",
                description="Any value: an end mark, which the answer's header of this "
                "name gives, follows the file.",
            ),
            *_describe_parameters(),
        ],
        responses={
            (200, one.media_type.partition(";")[0]): OpenApiTypes.BINARY
            for one in FORMATS.values()
        },
    )
    def get(self, request: Request, kind: str) -> StreamingHttpResponse:
        if kind not in TABLES:
            raise Http404
        chosen = _read_format(request, kind)
        filters = read_filters(
            request.query_params, TABLES[kind].filter_form, ("format",)
        )
        name = f'attachment; filename="{kind}.{chosen.ending}"'
        headers = {"Content-Disposition": name, "Cache-Control": "no-store"}
        parts = chosen.write(kind, request.user, filters)
        if request.headers.get(END_HEADER):
            headers[END_HEADER] = mark = secrets.token_hex(16)
            parts = _end_with(parts, mark)
        return StreamingHttpResponse(
            parts, content_type=chosen.media_type, headers=headers
        )


def _end_with(parts: Iterator[bytes], mark: str) -> Iterator[bytes]:
    yield from parts
    yield mark.encode()


def _read_format(request: Request, kind: str) -> Format:
    name = request.query_params.get("format", "jsonl")
    if name not in list_formats(kind):
        known = ", ".join(list_formats(kind))
        raise ValidationError({"format": [f"{kind} come as {known}."]})
    if name == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise FormatMissing
    return FORMATS[name]
