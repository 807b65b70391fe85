"""Playwright's trace viewer and the traces that it opens, on a separate origin.

A trace holds recorded pages, which are hostile, and the viewer runs scripts. Nothing
of ours is on that origin: it gets no cookies, only these views answer there, and a
trace can be read there only with a signed address that expires.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import mimetypes
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from rollouts.artifact_store import open_artifacts
from rollouts.artifacts import TRACE_SUFFIX, ArtifactError

SALT = "webrl.trace"
LASTS_S = 600
FOLDER = "driver/package/lib/vite/traceViewer"
VIEWER, TRACES = "/viewer/", "/traces/"
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def is_offered() -> bool:
    """Say whether traces can be opened: if they have an origin and a viewer."""
    return bool(settings.TRACE_ORIGIN) and viewer_folder() is not None


def viewer_address(digest: str) -> str:
    """Return the viewer's address for a trace, valid for ten minutes."""
    token = signing.dumps(digest, salt=SALT)
    trace = f"{settings.TRACE_ORIGIN}{TRACES}{token}{TRACE_SUFFIX}"
    return f"{settings.TRACE_ORIGIN}{VIEWER}index.html?trace={quote(trace, safe='')}"


class TraceOriginMiddleware:
    """Answer everything on the trace origin here; no session, no other view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.host = urlsplit(settings.TRACE_ORIGIN).netloc

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not self.host or request.get_host() != self.host:
            return self.get_response(request)
        response = answer(request.method or "", request.path)
        response["Content-Security-Policy"] = policy()
        response["X-Content-Type-Options"] = "nosniff"
        response["Referrer-Policy"] = "no-referrer"
        response["Cross-Origin-Opener-Policy"] = "same-origin"
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        return response


def answer(method: str, path: str) -> HttpResponse:
    """Return a file of the viewer, or a trace; 404 for anything else."""
    if method not in ("GET", "HEAD"):
        return _plain(405, "Only GET.")
    if path.startswith(TRACES) and path.endswith(TRACE_SUFFIX):
        return _trace(path.removeprefix(TRACES).removesuffix(TRACE_SUFFIX))
    if path.startswith(VIEWER):
        return _file(path.removeprefix(VIEWER))
    return _plain(404, "Not found.")


@functools.cache
def viewer_folder() -> Path | None:
    """Return where the viewer's files are; Playwright itself is not imported."""
    found = importlib.util.find_spec("playwright")
    for place in (found.submodule_search_locations or []) if found else []:
        folder = Path(place) / FOLDER
        if (folder / "index.html").is_file():
            return folder
    return None


@functools.cache
def policy() -> str:
    """Return the origin's content security policy.

    The viewer frames snapshots that its service worker makes; its page has one inline
    script, named by its digest.
    """
    folder = viewer_folder()
    page = (folder / "index.html").read_text(encoding="utf-8") if folder else ""
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in INLINE.findall(page)
    ]
    scripts = " ".join(["'self'", *(f"'sha256-{one}'" for one in digests)])
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "frame-src 'self' blob: data:",
            "worker-src 'self'",
            "manifest-src 'self'",
            "form-action 'none'",
            "frame-ancestors 'self'",
            "base-uri 'none'",
        )
    )


def _trace(token: str) -> HttpResponse:
    try:
        digest = signing.loads(token, salt=SALT, max_age=LASTS_S)
        content = open_artifacts().load(str(digest), TRACE_SUFFIX)
    except signing.BadSignature:
        return _plain(403, "This address has run out; open the trace from its replay.")
    except ArtifactError:
        return _plain(404, "The trace is gone.")
    response = HttpResponse(content, content_type="application/zip")
    response["Cache-Control"] = "no-store"
    return response


def _file(name: str) -> HttpResponse:
    path = _find_file(name)
    if path is None:
        return _plain(404, "Not found.")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    response = HttpResponse(path.read_bytes(), content_type=kind)
    response["Cache-Control"] = "no-cache"
    return response


def _find_file(name: str) -> Path | None:
    """Return the viewer's file of this name; None where there is none."""
    folder = viewer_folder()
    if folder is None:
        return None
    try:
        path = (folder / name).resolve()
        is_ours = path.is_relative_to(folder.resolve()) and path.is_file()
    except (OSError, ValueError):  # A name that no file can have.
        return None
    return path if is_ours else None


def _plain(status: int, text: str) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain")
