"""Answers that are sent while they are made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse


def stream(
    request: HttpRequest, parts: Iterator[bytes], **options: Any
) -> StreamingHttpResponse:
    """Answer with the parts as they are made.

    Behind ASGI, Django would make a list of a plain iterator first: the whole file.
    """
    asynchronous = isinstance(request, ASGIRequest)
    content = _in_turn(parts) if asynchronous else parts
    return StreamingHttpResponse(cast(Any, content), **options)


async def _in_turn(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Make each part in the request's thread, where its database connection is."""

    def fetch() -> bytes | None:
        return next(parts, None)

    while (part := await sync_to_async(fetch, thread_sensitive=True)()) is not None:
        yield part
