"""Recorded pages: hostile text, served from an origin that has nothing to steal.

The replay origin is another host than the dashboard, so it gets none of our cookies,
and each address has its own signature. The policy below also gives each page a separate
origin, and does not let it run scripts, load anything or navigate. On that host every
other address is 404; on the dashboard's host these addresses are.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotFound
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from rollouts.artifact_store import open_artifacts
from rollouts.artifacts import HTML_SUFFIX, JPEG_SUFFIX, ArtifactError
from rollouts.interchange.episodes import PNG
from webrl_site.recorded.signed_addresses import may_read
from webrl_site.server.middleware import BARE_HEADERS

PREFIX = "/recorded/"
POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "font-src data:; form-action 'none'; base-uri 'none'"
)
# A recorded page that unpacks to more than this is cut: gzip can hide gigabytes.
MAX_BYTES = 32 * 2**20
# The recorder writes how far the page was scrolled; without scripts, style moves it.
SCROLLED = re.compile(rb'<html[^>]{0,2000}\bdata-scroll="(\d{1,7}),(\d{1,7})"')


def is_replay_host(request: HttpRequest) -> bool:
    return request.get_host() == urlsplit(settings.REPLAY_ORIGIN).netloc


class ReplayOriginMiddleware:
    """Nothing but recorded pages lives on the replay origin."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_replay_host(request) and not request.path.startswith(PREFIX):
            return HttpResponseNotFound(
                "Not found.", content_type="text/plain", headers=BARE_HEADERS
            )
        return self.get_response(request)


@require_safe
@xframe_options_exempt
def recorded_page(request: HttpRequest, digest: str) -> HttpResponse:
    if refused := _refuse(request, f"{digest}.html"):
        return refused
    content = _read(read_page, digest)
    return _respond(content + scroll_style(content), "text/html; charset=utf-8")


@require_safe
def recorded_screenshot(request: HttpRequest, digest: str) -> HttpResponse:
    if refused := _refuse(request, f"{digest}.jpg"):
        return refused
    picture = _read(read_picture, digest)
    # Pictures of imported episodes may be PNG.
    kind = "image/png" if picture.startswith(PNG) else "image/jpeg"
    return _respond(picture, kind)


def read_page(digest: str) -> bytes:
    """Return a recorded page as it is: hostile.

    Raises:
        ArtifactError: It is missing or damaged.
    """
    packed = open_artifacts().load(digest, HTML_SUFFIX)
    with gzip.open(io.BytesIO(packed)) as file:
        return file.read(MAX_BYTES)


def read_picture(digest: str) -> bytes:
    """Return a recorded screenshot.

    Raises:
        ArtifactError: It is missing or damaged.
    """
    return open_artifacts().load(digest, JPEG_SUFFIX)


def scroll_style(content: bytes) -> bytes:
    """Return the style that shows the part of the page that the agent saw."""
    found = SCROLLED.search(content, 0, 4096)
    left, top = (int(group) for group in found.groups()) if found else (0, 0)
    if not left and not top:
        return b""
    rule = (
        f"position:relative!important;left:-{left}px!important;top:-{top}px!important"
    )
    return f"<style>html{{overflow:hidden}}body{{{rule}}}</style>".encode()


def _refuse(request: HttpRequest, name: str) -> HttpResponse | None:
    """Return the answer to a request that may not read the file, or None."""
    if not is_replay_host(request):
        raise Http404
    if may_read(request, name):
        return None
    text = "This address has run out; open the page from its replay."
    return HttpResponse(text, "text/plain", 403, headers=BARE_HEADERS)


def _read(read: Callable[[str], bytes], digest: str) -> bytes:
    try:
        return read(digest)
    except ArtifactError as error:
        raise Http404 from error


def _respond(content: bytes, content_type: str) -> HttpResponse:
    return HttpResponse(
        content,
        content_type=content_type,
        headers={
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "private, max-age=86400, immutable",
        },
    )
