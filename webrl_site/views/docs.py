"""The docs as pages, where `./webrl docs` has built them."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.utils._os import safe_join
from django.views.decorators.http import require_safe

from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, role_required

FIRST_PAGE = "index.html"
# What a built page is made of; nothing else is given away.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


def are_built() -> bool:
    return (settings.DOCS_DIR / FIRST_PAGE).is_file()


@require_safe
@role_required(ROLE_ANNOTATOR, ROLE_RESEARCHER)
def docs_page(request: HttpRequest, name: str) -> HttpResponse:
    """Return a built page, or a file that it shows, under the dashboard's policy."""
    file = find_file(name)
    if file is None:
        raise Http404(f"The docs have no page {name}. `./webrl docs` builds them.")
    return HttpResponse(file.read_bytes(), content_type=TYPES[file.suffix])


def find_file(name: str) -> Path | None:
    """Return the file below the docs that has this name, and a known type."""
    try:
        file = Path(safe_join(settings.DOCS_DIR, name)).resolve()
    except (SuspiciousFileOperation, ValueError):
        return None
    is_ours = file.is_relative_to(settings.DOCS_DIR.resolve())
    return file if is_ours and file.suffix in TYPES and file.is_file() else None
