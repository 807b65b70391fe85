"""The board's pages and forms: read the request, call the board, render or redirect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sandbox.forum import data
from rollouts.sandbox.forum.data import Forum, Post, User
from rollouts.sandbox.forum.state import Board, ForumError, new_changes
from rollouts.sandbox.site_app import SitePages
from rollouts.sandbox.sites import FORUM
from rollouts.sandbox.vocabulary import ME, slugify
from rollouts.sandbox.web import (
    Form,
    Renderer,
    changes_of,
    find_or_404,
    new_environment,
    paginate,
    read_form,
    see_other,
)

FOLDER = Path(__file__).parent
SORTS: dict[str, tuple[str, Callable[[Post], Any]]] = {
    "hot": ("Hot", lambda post: -post.heat),
    "new": ("New", lambda post: post.age),
    "top": ("Top", lambda post: -post.points),
}


def format_age(hours: int) -> str:
    """50 -> "2 days ago"."""
    if hours == 0:
        return "just now"
    number, unit = (hours, "hour") if hours < 24 else (hours // 24, "day")
    return f"{number} {unit}{'s' if number > 1 else ''} ago"


def _shared(request: Request) -> dict[str, Any]:
    return {"site": FORUM, "board": _board(request), "me": ME, "forums": data.FORUMS}


_environment = new_environment(FOLDER)
_environment.filters["age"] = format_age
_environment.filters["slug"] = slugify
render = Renderer(_environment, _shared)


def _board(request: Request) -> Board:
    return Board(changes_of(request))


def _post(request: Request) -> Post:
    return find_or_404(_board(request).posts, request.path_params["slug"], "post")


def _user(request: Request) -> User:
    user = _board(request).user(request.path_params["slug"])
    if user is None:
        raise HTTPException(404, "This person does not exist.")
    return user


def _hottest(posts: Iterable[Post]) -> list[Post]:
    return sorted(posts, key=SORTS["hot"][1])


async def home(request: Request) -> Response:
    """The hottest posts of all forums, and the forums that Robin follows."""
    board = _board(request)
    posts = _hottest(board.posts.values())[: data.HOT_POSTS]
    return render(request, "home.html", posts=posts, subscribed=board.subscribed)


async def forums(request: Request) -> Response:
    """All forums by name."""
    page = paginate(request, list(data.FORUMS.values()))
    return render(request, "forums.html", page=page)


async def forum(request: Request) -> Response:
    """A forum's posts: hot, new or top."""
    found = find_or_404(data.FORUMS, request.path_params["slug"], "forum")
    sort = request.query_params.get("sort", "")
    sort = sort if sort in SORTS else "hot"
    board = _board(request)
    posts = [post for post in board.posts.values() if post.forum == found.slug]
    posts.sort(key=SORTS[sort][1])
    return render(
        request,
        "forum.html",
        forum=found,
        page=paginate(request, posts),
        sort=sort,
        sorts={key: label for key, (label, _) in SORTS.items()},
        is_subscribed=found in board.subscribed,
    )


async def subscribe(request: Request) -> Response:
    """Follow or leave a forum."""
    found = find_or_404(data.FORUMS, request.path_params["slug"], "forum")
    form = await read_form(request)
    _board(request).set_subscribed(found, form.get("on") == "yes")
    return see_other(f"/forum/{found.slug}")


def _matches(query: str, text: str) -> bool:
    return set(query.lower().split()) <= set(text.lower().split())


async def search(request: Request) -> Response:
    """Posts, people and forums found by name."""
    query = request.query_params.get("q", "").strip()[:100]
    board = _board(request)
    posts = [p for p in board.posts.values() if query and _matches(query, p.title)]
    named: list[Forum | User] = [*data.FORUMS.values(), *data.USERS.values()]
    names = [item for item in named if query and _matches(query, item.name)]
    page = paginate(request, _hottest(posts))
    return render(request, "search.html", query=query, page=page, names=names)


def _post_page(request: Request, post: Post, error: str = "") -> Response:
    board = _board(request)
    return render(
        request,
        "post.html",
        422 if error else 200,
        post=post,
        points=board.points(post),
        vote=board.vote(post),
        comments=board.comments(post),
        is_saved=post in board.saved,
        error=error,
    )


async def post(request: Request) -> Response:
    """A post with its comments."""
    return _post_page(request, _post(request))


async def vote(request: Request) -> Response:
    """Vote for a post or against it."""
    found, form = _post(request), await read_form(request)
    _board(request).set_vote(found, -1 if form.get("vote") == "down" else 1)
    return see_other(f"/post/{found.slug}")


async def comment_vote(request: Request) -> Response:
    """Vote for a comment."""
    found, form = _post(request), await read_form(request)
    key = form.get("comment", "")
    if key in {comment.key for comment in found.comments}:
        _board(request).set_comment_vote(key)
    return see_other(f"/post/{found.slug}")


async def save(request: Request) -> Response:
    """Save a post or remove it, then show where the click was made."""
    found, form = _post(request), await read_form(request)
    _board(request).set_saved(found, form.get("on") == "yes")
    return see_other("/saved" if form.get("back") == "saved" else f"/post/{found.slug}")


async def comment(request: Request) -> Response:
    """Answer a post."""
    found, form = _post(request), await read_form(request)
    try:
        _board(request).add_comment(found, form.get("text", ""))
    except ForumError as error:
        return _post_page(request, found, str(error))
    return see_other(f"/post/{found.slug}")


async def delete(request: Request) -> Response:
    """Delete one of Robin's posts."""
    found = _post(request)
    try:
        _board(request).delete_post(found)
    except ForumError as error:
        return _post_page(request, found, str(error))
    return see_other("/profile")


async def saved(request: Request) -> Response:
    """The saved posts."""
    return render(request, "saved.html", page=paginate(request, _board(request).saved))


def _submit_page(request: Request, form: Form, error: str = "") -> Response:
    form = {"forum": "", "title": "", "text": "", **form}
    status = 422 if error else 200
    return render(request, "submit.html", status, form=form, error=error)


async def submit(request: Request) -> Response:
    """The form for a new post."""
    return _submit_page(request, {"forum": request.query_params.get("forum", "")})


async def publish(request: Request) -> Response:
    """Publish a new post, then show it."""
    form = await read_form(request)
    found = data.FORUMS.get(form.get("forum", ""))
    if found is None:
        return _submit_page(request, form, "Choose a forum.")
    try:
        slug = _board(request).add_post(
            found, form.get("title", ""), form.get("text", "")
        )
    except ForumError as error:
        return _submit_page(request, form, str(error))
    return see_other(f"/post/{slug}")


def _user_page(request: Request, user: User, error: str = "") -> Response:
    board = _board(request)
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
    found = _user(request)
    return see_other("/profile") if found.name == ME else _user_page(request, found)


async def message(request: Request) -> Response:
    """Write to a person."""
    found, form = _user(request), await read_form(request)
    try:
        _board(request).send_message(found, form.get("text", ""))
    except ForumError as error:
        return _user_page(request, found, str(error))
    return see_other(f"/user/{found.slug}")


async def block(request: Request) -> Response:
    """Block or unblock a person, then show where the click was made."""
    found, form = _user(request), await read_form(request)
    try:
        _board(request).set_blocked(found, form.get("on") == "yes")
    except ForumError as error:
        return _user_page(request, found, str(error))
    return see_other(
        "/blocked" if form.get("back") == "blocked" else f"/user/{found.slug}"
    )


async def blocked(request: Request) -> Response:
    """The people whom Robin has blocked."""
    return render(
        request, "blocked.html", page=paginate(request, _board(request).blocked)
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
        sent=_board(request).sent_to(sender),
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
        _board(request).send_message(
            data.USER_BY_NAME[found.sender], form.get("text", "")
        )
    except ForumError as error:
        return _letter_page(request, str(error))
    return see_other(f"/inbox/{found.slug}")


def _profile_page(request: Request, error: str = "") -> Response:
    board = _board(request)
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
        _board(request).edit_profile(form.get("bio", ""), form.get("city", ""))
    except ForumError as error:
        return _profile_page(request, str(error))
    return see_other("/profile")


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)


def _form(path: str, endpoint: Callable[[Request], Any]) -> Route:
    return Route(path, endpoint, methods=["POST"])


FORUM_PAGES = SitePages(
    key=FORUM.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        Route("/forums", forums),
        Route("/forum/{slug}", forum),
        _form("/forum/{slug}/subscribe", subscribe),
        Route("/search", search),
        Route("/post/{slug}", post),
        _form("/post/{slug}/vote", vote),
        _form("/post/{slug}/comment-vote", comment_vote),
        _form("/post/{slug}/save", save),
        _form("/post/{slug}/comment", comment),
        _form("/post/{slug}/delete", delete),
        Route("/saved", saved),
        Route("/submit", submit),
        _form("/submit", publish),
        Route("/user/{slug}", user),
        _form("/user/{slug}/message", message),
        _form("/user/{slug}/block", block),
        Route("/blocked", blocked),
        Route("/inbox", inbox),
        Route("/inbox/{slug}", letter),
        _form("/inbox/{slug}", reply),
        Route("/profile", profile),
        _form("/profile", edit_profile),
    ],
)
