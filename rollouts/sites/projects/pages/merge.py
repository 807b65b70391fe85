"""Pages of a project's merge requests: list and one merge request."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.web import Form, form_route, paginate, read_form, see_other
from rollouts.sites.projects.records import MergeRequest
from rollouts.sites.projects.rendering import (
    ROWS,
    choice,
    merge_request_of,
    project_of,
    render,
    tracker_of,
)
from rollouts.sites.projects.state import HostError
from rollouts.sites.projects.tracker import Tracker

MERGE_STATES = {"open": "Open", "merged": "Merged", "closed": "Closed"}


async def merge_requests(request: Request) -> Response:
    """The project's merge requests: open, merged or closed; the newest first."""
    project, tracker = project_of(request), tracker_of(request)
    state = choice(request, "state", MERGE_STATES)
    found = [m for m in tracker.merge_requests_of(project) if m.state == state]
    found.sort(key=lambda merge: -merge.day)
    return render(
        request,
        "merge_requests.html",
        project=project,
        page=paginate(request, found, ROWS),
        state=state,
        states=MERGE_STATES,
    )


def _merge_page(request: Request, merge: MergeRequest, error: str = "") -> Response:
    tracker = tracker_of(request)
    return render(
        request,
        "merge_request.html",
        422 if error else 200,
        project=tracker.project_of(merge),
        merge=merge,
        approvals=merge.approvals + merge.is_approved,
        comments=tracker.comments(merge),
        is_member=tracker.is_member(merge),
        error=error,
    )


async def merge_request(request: Request) -> Response:
    """One merge request with its comments."""
    return _merge_page(request, merge_request_of(request))


async def _edit(
    request: Request, edit: Callable[[Tracker, MergeRequest, Form], None]
) -> Response:
    """Change the merge request as the posted form says, then show it."""
    found, form = merge_request_of(request), await read_form(request)
    try:
        edit(tracker_of(request), found, form)
    except HostError as error:
        return _merge_page(request, found, str(error))
    return see_other(f"/merge-request/{found.number}")


async def comment(request: Request) -> Response:
    """Write under the merge request."""
    return await _edit(
        request, lambda tracker, m, form: tracker.add_comment(m, form.get("text", ""))
    )


async def approve(request: Request) -> Response:
    """Approve or take the approval back."""
    return await _edit(
        request,
        lambda tracker, m, form: tracker.set_approved(m, form.get("on") == "yes"),
    )


async def merge(request: Request) -> Response:
    """Merge it."""
    return await _edit(request, lambda tracker, m, form: tracker.merge(m))


async def close(request: Request) -> Response:
    """Close it without merging."""
    return await _edit(request, lambda tracker, m, form: tracker.close_merge_request(m))


MERGE_ROUTES = [
    Route("/merge-requests/{slug}", merge_requests),
    Route("/merge-request/{number}", merge_request),
    form_route("/merge-request/{number}/comment", comment),
    form_route("/merge-request/{number}/approve", approve),
    form_route("/merge-request/{number}/merge", merge),
    form_route("/merge-request/{number}/close", close),
]
