"""The host's start page, lists of projects and search; all its routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import PROJECTS
from rollouts.sites.kit.web import (
    Form,
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)
from rollouts.sites.projects import data
from rollouts.sites.projects.pages.issue import ISSUE_ROUTES
from rollouts.sites.projects.pages.merge import MERGE_ROUTES
from rollouts.sites.projects.pages.people import PEOPLE_ROUTES
from rollouts.sites.projects.pages.project import PROJECT_ROUTES
from rollouts.sites.projects.records import Project
from rollouts.sites.projects.rendering import (
    choice,
    error_page,
    host_of,
    render,
    tracker_of,
)
from rollouts.sites.projects.state import HostError, new_changes

LISTS = {"all": "All", "yours": "Yours", "starred": "Starred"}
PROJECT_SORTS = {
    "name": "Name",
    "most": "Most stars",
    "fewest": "Fewest stars",
    "updated": "Last updated",
}


async def home(request: Request) -> Response:
    """The projects that Robin owns, new ones first, and how much is open in each."""
    host, tracker = host_of(request), tracker_of(request)
    own = [p for p in host.projects.values() if host.my_role(p) == data.OWNER]
    own.sort(key=lambda project: project.slug in data.PROJECTS)
    counts = dict.fromkeys(host.projects, 0)
    for issue in tracker.issues.values():
        counts[issue.project] += issue.state == "open"
    page = paginate(request, own)
    return render(
        request, "home.html", page=page, counts=counts, waiting=len(host.todos)
    )


def _order(request: Request, sort: str) -> Callable[[Project], Any]:
    stars = host_of(request).stars
    return {
        "name": lambda project: project.name,
        "most": lambda project: -stars(project),
        "fewest": stars,
        "updated": lambda project: -project.updated,
    }[sort]


async def projects(request: Request) -> Response:
    """All projects, Robin's or those with Robin's star; sorted, of any language."""
    host = host_of(request)
    shown = choice(request, "list", LISTS)
    sort = choice(request, "sort", PROJECT_SORTS)
    languages = {"": "Any language", **{name: name for name in data.LANGUAGES}}
    language = choice(request, "language", languages)
    found = [
        project
        for project in host.projects.values()
        if language in ("", project.language)
        and (shown != "yours" or host.my_role(project))
        and (shown != "starred" or host.is_starred(project))
    ]
    found.sort(key=_order(request, sort))
    return render(
        request,
        "projects.html",
        page=paginate(request, found),
        shown=shown,
        lists=LISTS,
        sort=sort,
        sorts=PROJECT_SORTS,
        language=language,
        languages=languages,
    )


async def groups(request: Request) -> Response:
    """All teams."""
    count = dict.fromkeys(data.GROUPS, 0)
    for project in data.PROJECTS.values():
        count[project.group] += 1
    found = [(group, count[group.slug]) for group in data.GROUPS.values()]
    page = paginate(request, found)
    return render(request, "groups.html", page=page, lists=LISTS)


async def group(request: Request) -> Response:
    """A team and its projects."""
    found = find_or_404(data.GROUPS, request.path_params["slug"], "group")
    every = host_of(request).projects.values()
    page = paginate(request, [p for p in every if p.group == found.slug])
    return render(request, "group.html", group=found, page=page)


def _new_project_page(request: Request, form: Form, error: str = "") -> Response:
    return render(
        request,
        "new_project.html",
        422 if error else 200,
        form={"name": "", "description": "", "language": "", "visibility": "", **form},
        languages=data.LANGUAGES,
        visibilities=data.VISIBILITIES,
        error=error,
    )


async def new_project(request: Request) -> Response:
    """The form for a new project."""
    return _new_project_page(request, {})


async def create_project(request: Request) -> Response:
    """Create a project, then show it."""
    form = await read_form(request)
    fields = ("name", "description", "language", "visibility")
    try:
        slug = host_of(request).add_project(*(form.get(name, "") for name in fields))
    except HostError as error:
        return _new_project_page(request, form, str(error))
    return see_other(f"/project/{slug}")


def _matches(query: str, text: str) -> bool:
    return set(query.lower().split()) <= set(text.lower().split())


def _find_all(request: Request, query: str) -> list[tuple[str, Any]]:
    """(kind, item) of all that has the query's words in its name or title."""
    tracker = tracker_of(request)
    named: list[tuple[str, str, Any]] = [
        *(("project", p.name, p) for p in host_of(request).projects.values()),
        *(("person", person.name, person) for person in data.USERS.values()),
        *(("issue", issue.title, issue) for issue in tracker.issues.values()),
        *(("merge", m.title, m) for m in tracker.merge_requests.values()),
    ]
    return [(kind, item) for kind, name, item in named if _matches(query, name)]


async def search(request: Request) -> Response:
    """Projects, people, issues and merge requests found by name."""
    query = request.query_params.get("q", "").strip()[:100]
    page = paginate(request, _find_all(request, query) if query else [])
    projects = host_of(request).projects
    return render(request, "search.html", query=query, page=page, projects=projects)


PROJECTS_PAGES = SitePages(
    key=PROJECTS.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        Route("/projects", projects),
        Route("/groups", groups),
        Route("/group/{slug}", group),
        Route("/new-project", new_project),
        form_route("/new-project", create_project),
        Route("/search", search),
        *PROJECT_ROUTES,
        *ISSUE_ROUTES,
        *MERGE_ROUTES,
        *PEOPLE_ROUTES,
    ],
)
