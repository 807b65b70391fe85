"""The docs as pages: those that `./webrl docs` has built, or rendered on request."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils._os import safe_join
from django.views.decorators.http import require_safe

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required
from webrl_site.help.doc_pages import find_attachment, read_doc

# Types of files that built pages use and link to; no others are served.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def docs_page(request: HttpRequest, name: str) -> HttpResponse:
    """Return a page, or a file that it shows, under the dashboard's policy."""
    file = find_file(name) or find_attachment(name)
    doc = None if file else read_doc(name)
    if doc is not None:
        return render(request, "help/doc.html", {"doc": doc})
    if file is None:
        raise Http404(f"The docs have no page {name}.")
    return HttpResponse(file.read_bytes(), content_type=TYPES[file.suffix])


def find_file(name: str) -> Path | None:
    """Return the file below the docs that has this name, and a known type."""
    try:
        file = Path(safe_join(settings.DOCS_DIR, name)).resolve()
    except (SuspiciousFileOperation, ValueError):
        return None
    is_ours = file.is_relative_to(settings.DOCS_DIR.resolve())
    return file if is_ours and file.suffix in TYPES and file.is_file() else None
