"""People: profiles, messages, who is blocked, and Robin's own page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.forum import data
from rollouts.sites.forum.data import User
from rollouts.sites.forum.rendering import SORTS, board_of, render, user_of
from rollouts.sites.forum.state import ForumError
from rollouts.sites.kit.vocabulary import ME
from rollouts.sites.kit.web import (
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)


def _user_page(request: Request, user: User, error: str = "") -> Response:
    board = board_of(request)
    posts = [post for post in board.posts.values() if post.author == user.name]
    return render(
        request,
        "user.html",
        422 if error else 200,
        user=user,
        page=paginate(request, sorted(posts, key=SORTS["new"][1]), size=6),
        is_blocked=board.is_blocked(user.slug),
        sent=board.sent_to(user),
        error=error,
    )


async def user(request: Request) -> Response:
    """A person: profile and posts."""
    found = user_of(request)
    return see_other("/profile") if found.name == ME else _user_page(request, found)


async def message(request: Request) -> Response:
    """Write to a person."""
    found, form = user_of(request), await read_form(request)
    try:
        board_of(request).send_message(found, form.get("text", ""))
    except ForumError as error:
        return _user_page(request, found, str(error))
    return see_other(f"/user/{found.slug}")


async def block(request: Request) -> Response:
    """Block or unblock a person, then show where the click was made."""
    found, form = user_of(request), await read_form(request)
    try:
        board_of(request).set_blocked(found, form.get("on") == "yes")
    except ForumError as error:
        return _user_page(request, found, str(error))
    return see_other(
        "/blocked" if form.get("back") == "blocked" else f"/user/{found.slug}"
    )


async def blocked(request: Request) -> Response:
    """The people whom Robin has blocked."""
    return render(
        request, "blocked.html", page=paginate(request, board_of(request).blocked)
    )


async def inbox(request: Request) -> Response:
    """Messages to Robin."""
    page = paginate(request, list(data.LETTERS.values()))
    return render(request, "inbox.html", page=page)


def _letter_page(request: Request, error: str = "") -> Response:
    letter = find_or_404(data.LETTERS, request.path_params["slug"], "message")
    sender = data.USER_BY_NAME[letter.sender]
    return render(
        request,
        "letter.html",
        422 if error else 200,
        letter=letter,
        sent=board_of(request).sent_to(sender),
        error=error,
    )


async def letter(request: Request) -> Response:
    """One message, with a form to answer it."""
    return _letter_page(request)


async def reply(request: Request) -> Response:
    """Answer a message."""
    found = find_or_404(data.LETTERS, request.path_params["slug"], "message")
    form = await read_form(request)
    try:
        board_of(request).send_message(
            data.USER_BY_NAME[found.sender], form.get("text", "")
        )
    except ForumError as error:
        return _letter_page(request, str(error))
    return see_other(f"/inbox/{found.slug}")


def _profile_page(request: Request, error: str = "") -> Response:
    board = board_of(request)
    own = [post for post in board.posts.values() if post.author == ME]
    return render(
        request,
        "profile.html",
        422 if error else 200,
        user=board.me,
        page=paginate(request, sorted(own, key=SORTS["new"][1])),
        error=error,
    )


async def profile(request: Request) -> Response:
    """Robin's own profile and posts."""
    return _profile_page(request)


async def edit_profile(request: Request) -> Response:
    """Save bio and city."""
    form = await read_form(request)
    try:
        board_of(request).edit_profile(form.get("bio", ""), form.get("city", ""))
    except ForumError as error:
        return _profile_page(request, str(error))
    return see_other("/profile")


PEOPLE_ROUTES = [
    Route("/user/{slug}", user),
    form_route("/user/{slug}/message", message),
    form_route("/user/{slug}/block", block),
    Route("/blocked", blocked),
    Route("/inbox", inbox),
    Route("/inbox/{slug}", letter),
    form_route("/inbox/{slug}", reply),
    Route("/profile", profile),
    form_route("/profile", edit_profile),
]
