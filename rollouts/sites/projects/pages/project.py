"""Pages of one project: overview, commits, files, members."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.web import form_route, paginate, read_form, see_other
from rollouts.sites.projects import data
from rollouts.sites.projects.files import README, read_file, read_tree
from rollouts.sites.projects.records import Person, Project
from rollouts.sites.projects.rendering import (
    host_of,
    person_of,
    project_of,
    refuse_unknown,
    render,
)
from rollouts.sites.projects.state import HostError


def _project_page(
    request: Request, project: Project, error: str = "", dialog: str = ""
) -> Response:
    host = host_of(request)
    return render(
        request,
        "project.html",
        422 if error else 200,
        project=project,
        group=data.GROUPS.get(project.group),
        role=host.my_role(project),
        readme=read_file(project, README),
        error=error,
        dialog=dialog,
    )


async def overview(request: Request) -> Response:
    """What the project is, its stars, its README."""
    return _project_page(request, project_of(request))


async def star(request: Request) -> Response:
    """Give the project a star or take it back."""
    project, form = project_of(request), await read_form(request)
    host_of(request).set_starred(project, form.get("on") == "yes")
    return see_other(f"/project/{project.slug}")


async def fork(request: Request) -> Response:
    """Copy the project, then show the copy."""
    project = project_of(request)
    try:
        slug = host_of(request).fork(project)
    except HostError as error:
        return _project_page(request, project, str(error))
    return see_other(f"/project/{slug}")


async def describe(request: Request) -> Response:
    """Change the description."""
    project, form = project_of(request), await read_form(request)
    try:
        host_of(request).describe(project, form.get("description", ""))
    except HostError as error:
        return _project_page(request, project, str(error), "describe")
    return see_other(f"/project/{project.slug}")


async def leave(request: Request) -> Response:
    """Leave the project."""
    project = project_of(request)
    try:
        host_of(request).leave(project)
    except HostError as error:
        return _project_page(request, project, str(error))
    return see_other(f"/project/{project.slug}")


async def commits(request: Request) -> Response:
    """What was changed, by whom and when; all or one author's."""
    project = project_of(request)
    found = data.COMMITS.get(project.origin, [])
    authors = sorted({commit.author for commit in found})
    author = request.query_params.get("author", "")
    if author in authors:
        found = [commit for commit in found if commit.author == author]
    page = paginate(request, found)
    return render(
        request,
        "commits.html",
        project=project,
        page=page,
        authors=authors,
        author=author,
    )


async def files(request: Request) -> Response:
    """The files at the top of the project, or in a folder."""
    project = project_of(request)
    tree = read_tree(project)
    folder = request.path_params.get("folder", "")
    refuse_unknown(folder in tree, "folder")
    folders = [name for name in tree if name] if not folder else []
    return render(
        request,
        "files.html",
        project=project,
        folder=folder,
        folders=folders,
        names=list(tree[folder]),
    )


async def file(request: Request) -> Response:
    """The text of a file."""
    project, path = project_of(request), request.path_params["path"]
    text = read_file(project, path)
    refuse_unknown(text is not None, "file")
    return render(request, "file.html", project=project, path=path, text=text)


def _members_page(
    request: Request, project: Project, error: str = "", name: str = ""
) -> Response:
    host = host_of(request)
    members = [(data.USERS[slug], role) for slug, role in host.members(project).items()]
    return render(
        request,
        "members.html",
        422 if error else 200,
        project=project,
        page=paginate(request, members),
        role=host.my_role(project),
        roles=data.ROLES,
        error=error,
        name=name,
    )


async def members(request: Request) -> Response:
    """Who belongs to the project, and as what."""
    return _members_page(request, project_of(request))


async def invite(request: Request) -> Response:
    """Make somebody a member."""
    project, form = project_of(request), await read_form(request)
    name = form.get("person", "")
    try:
        host_of(request).invite(project, name, form.get("role", ""))
    except HostError as error:
        return _members_page(request, project, str(error), name[:100])
    return see_other(f"/members/{project.slug}")


def _member_page(
    request: Request, project: Project, person: Person, error: str = ""
) -> Response:
    host = host_of(request)
    roles = host.members(project)
    refuse_unknown(person.slug in roles, "member")
    return render(
        request,
        "member.html",
        422 if error else 200,
        project=project,
        person=person,
        role=roles[person.slug],
        is_owner=host.my_role(project) == data.OWNER,
        roles=data.ROLES,
        error=error,
    )


async def member(request: Request) -> Response:
    """One member, with what the owner may change."""
    return _member_page(request, project_of(request), person_of(request))


async def change_role(request: Request) -> Response:
    """Give a member another role."""
    project, person = project_of(request), person_of(request)
    form = await read_form(request)
    try:
        host_of(request).change_role(project, person, form.get("role", ""))
    except HostError as error:
        return _member_page(request, project, person, str(error))
    return see_other(f"/members/{project.slug}")


async def remove_member(request: Request) -> Response:
    """Take a member out of the project."""
    project, person = project_of(request), person_of(request)
    try:
        host_of(request).remove_member(project, person)
    except HostError as error:
        return _member_page(request, project, person, str(error))
    return see_other(f"/members/{project.slug}")


PROJECT_ROUTES = [
    Route("/project/{slug}", overview),
    form_route("/project/{slug}/star", star),
    form_route("/project/{slug}/fork", fork),
    form_route("/project/{slug}/describe", describe),
    form_route("/project/{slug}/leave", leave),
    Route("/commits/{slug}", commits),
    Route("/files/{slug}", files),
    Route("/folder/{slug}/{folder}", files),
    Route("/file/{slug}/{path:path}", file),
    Route("/members/{slug}", members),
    form_route("/members/{slug}", invite),
    Route("/member/{slug}/{person}", member),
    form_route("/member/{slug}/{person}/role", change_role),
    form_route("/member/{slug}/{person}/remove", remove_member),
]
