"""Pages of a project's issues: list, one issue, a new one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.kit.web import Form, form_route, paginate, read_form, see_other
from rollouts.sites.projects import data
from rollouts.sites.projects.records import Issue, Project
from rollouts.sites.projects.rendering import (
    ROWS,
    choice,
    host_of,
    issue_of,
    project_of,
    render,
    tracker_of,
)
from rollouts.sites.projects.state import HostError
from rollouts.sites.projects.tracker import Tracker

ISSUE_STATES = {"open": "Open", "closed": "Closed"}
Order = Callable[[Issue], Any]
# Address value -> label of the list, order. Days may be equal, numbers never are.
ISSUE_SORTS: dict[str, tuple[str, Order]] = {
    "newest": ("Newest", lambda issue: (-issue.day, -issue.number)),
    "oldest": ("Oldest", lambda issue: (issue.day, issue.number)),
    "comments": ("Most comments", lambda issue: (-len(issue.comments), -issue.day)),
}


async def issues(request: Request) -> Response:
    """The project's issues: open or closed, sorted, all or some."""
    project, tracker = project_of(request), tracker_of(request)
    state = choice(request, "state", ISSUE_STATES)
    sort = choice(request, "sort", ISSUE_SORTS)
    every = tracker.issues_of(project)
    authors = sorted({issue.author for issue in every})
    author = choice(request, "author", {"": "", **dict.fromkeys(authors)})
    label = choice(request, "label", {"": "", **dict.fromkeys(data.LABELS)})
    found = [
        issue
        for issue in every
        if issue.state == state
        and author in ("", issue.author)
        and (not label or label in issue.labels)
    ]
    return render(
        request,
        "issues.html",
        project=project,
        page=paginate(request, sorted(found, key=ISSUE_SORTS[sort][1]), ROWS),
        state=state,
        states=ISSUE_STATES,
        sort=sort,
        sorts={key: name for key, (name, _) in ISSUE_SORTS.items()},
        author=author,
        authors=authors,
        label=label,
        labels=data.LABELS,
        count_comments=lambda issue: len(tracker.comments(issue)),
    )


def _issue_page(
    request: Request, issue: Issue, error: str = "", dialog: str = ""
) -> Response:
    tracker = tracker_of(request)
    project = tracker.project_of(issue)
    members = host_of(request).members(project)
    return render(
        request,
        "issue.html",
        422 if error else 200,
        project=project,
        issue=issue,
        comments=tracker.comments(issue),
        is_member=tracker.is_member(issue),
        may_close=tracker.may_close(issue),
        members=[data.USERS[slug] for slug in members],
        labels=data.LABELS,
        milestones=data.MILESTONES,
        error=error,
        dialog=dialog,
    )


async def issue(request: Request) -> Response:
    """One issue with its comments."""
    return _issue_page(request, issue_of(request))


async def _edit(
    request: Request, dialog: str, edit: Callable[[Tracker, Issue, Form], None]
) -> Response:
    """Change the issue as the posted form says, then show it."""
    found, form = issue_of(request), await read_form(request)
    try:
        edit(tracker_of(request), found, form)
    except HostError as error:
        return _issue_page(request, found, str(error), dialog)
    return see_other(f"/issue/{found.number}")


def _checked_labels(form: Form) -> list[str]:
    return [label for label in data.LABELS if f"label-{label}" in form]


async def comment(request: Request) -> Response:
    """Write under the issue."""
    return await _edit(
        request, "", lambda tracker, i, form: tracker.add_comment(i, _text(form))
    )


async def set_state(request: Request) -> Response:
    """Close or reopen the issue."""
    return await _edit(
        request, "", lambda tracker, i, form: tracker.set_state(i, form.get("to", ""))
    )


async def set_labels(request: Request) -> Response:
    """Give the issue the checked labels."""
    return await _edit(
        request,
        "labels",
        lambda tracker, i, form: tracker.set_labels(i, _checked_labels(form)),
    )


async def set_assignee(request: Request) -> Response:
    """Give the issue to a member."""
    return await _edit(
        request,
        "assignee",
        lambda tracker, i, form: tracker.set_assignee(i, form.get("assignee", "")),
    )


async def set_milestone(request: Request) -> Response:
    """Plan the issue for a milestone."""
    return await _edit(
        request,
        "milestone",
        lambda tracker, i, form: tracker.set_milestone(i, form.get("milestone", "")),
    )


def _text(form: Form) -> str:
    return form.get("text", "")


def _new_issue_page(
    request: Request, project: Project, form: Form, error: str = ""
) -> Response:
    members = host_of(request).members(project)
    return render(
        request,
        "new_issue.html",
        422 if error else 200,
        project=project,
        form={"title": "", "text": "", "assignee": "", **form},
        checked=_checked_labels(form),
        members=[data.USERS[slug] for slug in members],
        labels=data.LABELS,
        error=error,
    )


async def new_issue(request: Request) -> Response:
    """The form for a new issue."""
    return _new_issue_page(request, project_of(request), {})


async def create_issue(request: Request) -> Response:
    """Open a new issue, then show it."""
    project, form = project_of(request), await read_form(request)
    try:
        number = tracker_of(request).add_issue(
            project,
            form.get("title", ""),
            _text(form),
            _checked_labels(form),
            slugify(form.get("assignee", "")),
        )
    except HostError as error:
        return _new_issue_page(request, project, form, str(error))
    return see_other(f"/issue/{number}")


ISSUE_ROUTES = [
    Route("/issues/{slug}", issues),
    Route("/new-issue/{slug}", new_issue),
    form_route("/new-issue/{slug}", create_issue),
    Route("/issue/{number}", issue),
    form_route("/issue/{number}/comment", comment),
    form_route("/issue/{number}/state", set_state),
    form_route("/issue/{number}/labels", set_labels),
    form_route("/issue/{number}/assignee", set_assignee),
    form_route("/issue/{number}/milestone", set_milestone),
]
