"""Lists in pages by key: `limit` rows, and the address of the next ones.

A page is `{"next": address or null, "results": [...]}`. The cursor in the address
names the last row's key, so pages neither repeat nor leave out rows while others
are written, and the last page of a list costs what the first one does.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any, cast

from django.db.models import Model, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

LIMIT = 50
HIGHEST_LIMIT = 500
PARAMETERS = frozenset({"cursor", "limit"})
_CURSOR = re.compile(r"(-?\w+):(\d{1,18})")


class KeyPagination(BasePagination):
    """Pages of a queryset by one unique whole-numbered column.

    A view names it in `paging_key`, with a minus for descending order: "-id".
    """

    next: str | None = None

    def paginate_queryset(
        self,
        queryset: QuerySet[Any] | Sequence[Any],
        request: Request,
        view: APIView | None = None,
    ) -> list[Any]:
        key: str = getattr(view, "paging_key", "-id")
        limit = _read_limit(request.query_params.get("limit"))
        after = _read_cursor(request.query_params.get("cursor"), key)
        rows = cast(QuerySet[Any], queryset).order_by(key)
        if after is not None:
            rows = rows.filter(**{_condition(key): after})
        found = list(rows[: limit + 1])
        page = found[:limit]
        if len(found) > limit:
            self.next = replace_query_param(
                request.build_absolute_uri(), "cursor", _write_cursor(page[-1], key)
            )
        return page

    def get_paginated_response(self, data: object) -> Response:
        return Response({"next": self.next, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        following = {
            "type": ["string", "null"],
            "format": "uri",
            "description": "The next page; null on the last one.",
        }
        return {
            "type": "object",
            "required": ["next", "results"],
            "properties": {"next": following, "results": schema},
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        limit = {"type": "integer", "minimum": 1, "maximum": HIGHEST_LIMIT}
        return [
            {
                "name": "limit",
                "in": "query",
                "required": False,
                "description": "Rows of a page.",
                "schema": limit | {"default": LIMIT},
            },
            {
                "name": "cursor",
                "in": "query",
                "required": False,
                "description": "Where to go on; taken from `next`.",
                "schema": {"type": "string"},
            },
        ]


def _condition(key: str) -> str:
    return f"{key[1:]}__lt" if key.startswith("-") else f"{key}__gt"


def _read_limit(raw: str | None) -> int:
    if raw is None:
        return LIMIT
    if not re.fullmatch(r"[0-9]{1,3}", raw) or not 1 <= int(raw) <= HIGHEST_LIMIT:
        raise ValidationError(
            {"limit": [f"Must be a whole number from 1 to {HIGHEST_LIMIT}."]}
        )
    return int(raw)


def _write_cursor(row: Model, key: str) -> str:
    text = f"{key}:{getattr(row, key.lstrip('-'))}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(raw: str | None, key: str) -> int | None:
    if raw is None:
        return None
    try:
        padded = raw.encode("ascii") + b"=" * (-len(raw) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (UnicodeError, binascii.Error):
        text = ""
    match = _CURSOR.fullmatch(text)
    if not match or match[1] != key:
        raise ValidationError(
            {"cursor": ["Is not one of this list's; take it from `next`."]}
        )
    return int(match[2])
