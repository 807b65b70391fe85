"""Pages about people and Robin's own: profiles, the to-do list."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.kit.web import form_route, paginate, read_form, see_other
from rollouts.sites.projects import data
from rollouts.sites.projects.records import Person
from rollouts.sites.projects.rendering import (
    ROWS,
    host_of,
    person_of,
    render,
    tracker_of,
)
from rollouts.sites.projects.state import MY_SLUG, HostError


def _user_page(request: Request, person: Person, error: str = "") -> Response:
    host = host_of(request)
    found = [p for p in host.projects.values() if person.slug in host.members(p)]
    return render(
        request,
        "user.html",
        422 if error else 200,
        person=person,
        page=paginate(request, found, ROWS),
        is_followed=host.is_followed(person),
        error=error,
    )


async def user(request: Request) -> Response:
    """A person and the projects they belong to."""
    person = person_of(request)
    return (
        see_other("/profile") if person.slug == MY_SLUG else _user_page(request, person)
    )


async def follow(request: Request) -> Response:
    """Follow a person or stop it."""
    person, form = person_of(request), await read_form(request)
    try:
        host_of(request).set_followed(person, form.get("on") == "yes")
    except HostError as error:
        return _user_page(request, person, str(error))
    return see_other(f"/user/{person.slug}")


def _profile_page(request: Request, error: str = "", status: str = "") -> Response:
    host = host_of(request)
    followed = [p for p in data.USERS.values() if host.is_followed(p)]
    return render(
        request,
        "profile.html",
        422 if error else 200,
        person=data.USERS[MY_SLUG],
        status=status or host.status,
        availabilities=data.AVAILABILITIES,
        page=paginate(request, followed),
        error=error,
    )


async def profile(request: Request) -> Response:
    """Robin's own profile and the people whom Robin follows."""
    return _profile_page(request)


async def set_status(request: Request) -> Response:
    """Save Robin's status."""
    form = await read_form(request)
    try:
        host_of(request).set_status(
            form.get("status", ""), form.get("availability", "")
        )
    except HostError as error:
        return _profile_page(request, str(error))
    return see_other("/profile")


async def todos(request: Request) -> Response:
    """The to-dos that wait for Robin, or that Robin has done."""
    host, tracker = host_of(request), tracker_of(request)
    is_done = request.query_params.get("state") == "done"
    items = tracker.issues | tracker.merge_requests
    found = host.todos_done if is_done else list(host.todos.values())
    page = paginate(request, [(todo, items[todo.number]) for todo in found], ROWS)
    return render(request, "todos.html", page=page, is_done=is_done)


async def tick_off(request: Request) -> Response:
    """Tick off what waited, or put it back."""
    form = await read_form(request)
    number, is_done = form.get("number", ""), form.get("done") == "yes"
    if number.isascii() and number.isdigit() and len(number) < 9:
        host_of(request).set_todo_done(int(number), is_done)
    return see_other("/todos" if is_done else "/todos?state=done")


PEOPLE_ROUTES = [
    Route("/user/{person}", user),
    form_route("/user/{person}/follow", follow),
    Route("/profile", profile),
    form_route("/profile", set_status),
    Route("/todos", todos),
    form_route("/todos", tick_off),
]
