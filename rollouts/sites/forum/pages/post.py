"""Posts: reading, voting, answering, saving and writing them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rollouts.sites.forum import data
from rollouts.sites.forum.data import Post
from rollouts.sites.forum.rendering import board_of, post_of, render
from rollouts.sites.forum.state import ForumError
from rollouts.sites.kit.web import Form, form_route, paginate, read_form, see_other


def _post_page(request: Request, post: Post, error: str = "") -> Response:
    board = board_of(request)
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
    return _post_page(request, post_of(request))


async def vote(request: Request) -> Response:
    """Vote for a post or against it."""
    found, form = post_of(request), await read_form(request)
    board_of(request).set_vote(found, -1 if form.get("vote") == "down" else 1)
    return see_other(f"/post/{found.slug}")


async def comment_vote(request: Request) -> Response:
    """Vote for a comment."""
    found, form = post_of(request), await read_form(request)
    key = form.get("comment", "")
    if key in {comment.key for comment in found.comments}:
        board_of(request).set_comment_vote(key)
    return see_other(f"/post/{found.slug}")


async def save(request: Request) -> Response:
    """Save a post or remove it, then show where the click was made."""
    found, form = post_of(request), await read_form(request)
    board_of(request).set_saved(found, form.get("on") == "yes")
    return see_other("/saved" if form.get("back") == "saved" else f"/post/{found.slug}")


async def comment(request: Request) -> Response:
    """Answer a post."""
    found, form = post_of(request), await read_form(request)
    try:
        board_of(request).add_comment(found, form.get("text", ""))
    except ForumError as error:
        return _post_page(request, found, str(error))
    return see_other(f"/post/{found.slug}")


async def delete(request: Request) -> Response:
    """Delete one of Robin's posts."""
    found = post_of(request)
    try:
        board_of(request).delete_post(found)
    except ForumError as error:
        return _post_page(request, found, str(error))
    return see_other("/profile")


async def saved(request: Request) -> Response:
    """The saved posts."""
    return render(
        request, "saved.html", page=paginate(request, board_of(request).saved)
    )


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
        slug = board_of(request).add_post(
            found, form.get("title", ""), form.get("text", "")
        )
    except ForumError as error:
        return _submit_page(request, form, str(error))
    return see_other(f"/post/{slug}")


POST_ROUTES = [
    Route("/post/{slug}", post),
    form_route("/post/{slug}/vote", vote),
    form_route("/post/{slug}/comment-vote", comment_vote),
    form_route("/post/{slug}/save", save),
    form_route("/post/{slug}/comment", comment),
    form_route("/post/{slug}/delete", delete),
    Route("/saved", saved),
    Route("/submit", submit),
    form_route("/submit", publish),
]
