"""The board's forums and search, and the list of all its addresses."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.forum import data
from rollouts.sites.forum.data import Forum, User
from rollouts.sites.forum.pages.people import PEOPLE_ROUTES
from rollouts.sites.forum.pages.post import POST_ROUTES
from rollouts.sites.forum.rendering import SORTS, board_of, error_page, hottest, render
from rollouts.sites.forum.state import new_changes
from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import FORUM
from rollouts.sites.kit.web import (
    find_or_404,
    form_route,
    paginate,
    read_form,
    see_other,
)


async def home(request: Request) -> Response:
    """The hottest posts of all forums, and the forums that Robin follows."""
    board = board_of(request)
    posts = hottest(board.posts.values())[: data.HOT_POSTS]
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
    board = board_of(request)
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
    board_of(request).set_subscribed(found, form.get("on") == "yes")
    return see_other(f"/forum/{found.slug}")


def _matches(query: str, text: str) -> bool:
    return set(query.lower().split()) <= set(text.lower().split())


async def search(request: Request) -> Response:
    """Posts, people and forums found by name."""
    query = request.query_params.get("q", "").strip()[:100]
    board = board_of(request)
    posts = [p for p in board.posts.values() if query and _matches(query, p.title)]
    named: list[Forum | User] = [*data.FORUMS.values(), *data.USERS.values()]
    names = [item for item in named if query and _matches(query, item.name)]
    page = paginate(request, hottest(posts))
    return render(request, "search.html", query=query, page=page, names=names)


FORUM_PAGES = SitePages(
    key=FORUM.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        Route("/forums", forums),
        Route("/forum/{slug}", forum),
        form_route("/forum/{slug}/subscribe", subscribe),
        Route("/search", search),
        *POST_ROUTES,
        *PEOPLE_ROUTES,
    ],
)
