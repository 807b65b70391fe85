"""What the board's pages share: templates, orders of posts, the episode's board."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.forum import data
from rollouts.sites.forum.data import Post, User
from rollouts.sites.forum.state import Board
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.vocabulary import ME, slugify
from rollouts.sites.kit.web import Renderer, changes_of, find_or_404, new_environment

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
    return {"site": FORUM, "board": board_of(request), "me": ME, "forums": data.FORUMS}


_environment = new_environment(FOLDER)
_environment.filters["age"] = format_age
_environment.filters["slug"] = slugify
render = Renderer(_environment, _shared)


def board_of(request: Request) -> Board:
    """The board as Robin sees it in this episode."""
    return Board(changes_of(request))


def post_of(request: Request) -> Post:
    """The post that the address names."""
    return find_or_404(board_of(request).posts, request.path_params["slug"], "post")


def user_of(request: Request) -> User:
    """The person that the address names."""
    user = board_of(request).user(request.path_params["slug"])
    if user is None:
        raise HTTPException(404, "This person does not exist.")
    return user


def hottest(posts: Iterable[Post]) -> list[Post]:
    """The posts in the order of the front page."""
    return sorted(posts, key=SORTS["hot"][1])


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)
