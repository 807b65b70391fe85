"""What all pages of the host share: rendering, finding what an address names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.kit.sites import PROJECTS
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.kit.web import Renderer, changes_of, find_or_404, new_environment
from rollouts.sites.projects import data
from rollouts.sites.projects.records import (
    Issue,
    MergeRequest,
    Person,
    Project,
    format_day,
)
from rollouts.sites.projects.state import Host
from rollouts.sites.projects.tracker import Tracker

FOLDER = Path(__file__).parent
# Name, address and which addresses belong to it, of a project's pages.
SECTIONS = (
    ("Issues", "issues", ("issues", "issue", "new-issue")),
    ("Merge requests", "merge-requests", ("merge-requests", "merge-request")),
    ("Commits", "commits", ("commits",)),
    ("Files", "files", ("files", "folder", "file")),
    ("Members", "members", ("members", "member")),
)
ROWS = 6  # of a list on a project's page, which carries many links itself


def plural(count: int, noun: str) -> str:
    """2, "star" -> "2 stars"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Options of a drop-down list whose values are what it shows."""
    return [(name, name) for name in names]


def name_of(slug: str) -> str:
    """The person's name; "nobody" for no slug."""
    return data.PERSON_NAMES.get(slug, "nobody")


def _shared(request: Request) -> dict[str, Any]:
    return {
        "site": PROJECTS,
        "host": host_of(request),
        "section": request.url.path.split("/")[1],
        "sections": SECTIONS,
    }


_environment = new_environment(FOLDER)
_environment.filters.update(
    day=format_day, plural=plural, slug=slugify, person=name_of, pairs=pairs
)
render = Renderer(_environment, _shared)


def host_of(request: Request) -> Host:
    """The host as this episode sees it."""
    return Host(changes_of(request))


def tracker_of(request: Request) -> Tracker:
    """The issues and merge requests of this episode."""
    return Tracker(changes_of(request))


def project_of(request: Request) -> Project:
    """The project that the address names."""
    projects = host_of(request).projects
    return find_or_404(projects, request.path_params["slug"], "project")


def issue_of(request: Request) -> Issue:
    """The issue that the address names."""
    return find_or_404(tracker_of(request).issues, _number(request), "issue")


def merge_request_of(request: Request) -> MergeRequest:
    """The merge request that the address names."""
    merges = tracker_of(request).merge_requests
    return find_or_404(merges, _number(request), "merge request")


def person_of(request: Request) -> Person:
    """The person that the address names."""
    return find_or_404(data.USERS, request.path_params["person"], "person")


def _number(request: Request) -> int:
    text = request.path_params["number"]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def choice(request: Request, name: str, known: dict[str, Any]) -> str:
    """What the address chooses among the known; the first of them otherwise."""
    asked = request.query_params.get(name, "")
    return asked if asked in known else next(iter(known))


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)


def refuse_unknown(condition: bool, what: str) -> None:
    """The site's 404 page unless the condition holds."""
    if not condition:
        raise HTTPException(404, f"This {what} does not exist.")
