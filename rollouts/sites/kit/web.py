"""What the sites share: host names, forms, lists in pages, rendering."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from rollouts.sites.kit.episodes import Changes

HERE = Path(__file__).parent
PAGE_SIZE = 8
MAX_FORM_BYTES = 65_536
HOST = re.compile(r"^([a-z0-9-]+)\.([0-9a-f]+)\.localhost(?::\d+)?$")

Key = TypeVar("Key")
Item = TypeVar("Item")
Form = dict[str, str]


def parse_host(host: str) -> tuple[str, str] | None:
    """Site key and token of `shop.<token>.localhost:port`; None for other hosts."""
    match = HOST.match(host.lower())
    return (match[1], match[2]) if match else None


def new_environment(folder: Path) -> Environment:
    """Templates of a site; the shared ones can be extended and imported.

    Its style and script are inlined in every page. Loading them would cost more: two
    requests in a new episode, which has no cache, 10 of 60 ms.
    """
    environment = Environment(
        loader=FileSystemLoader([folder / "templates", HERE / "templates"]),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    shared, own = HERE / "static", folder / "static"
    name = folder.name
    environment.globals |= {
        "site_style": _read_markup(shared / "base.css", own / f"{name}.css"),
        "site_script": _read_markup(shared / "site.js", own / f"{name}.js"),
    }
    return environment


def _read_markup(shared: Path, own: Path) -> Markup:
    """The text of a style or script: what all sites share and what this one adds."""
    texts = [path.read_text("utf-8") for path in (shared, own) if path.exists()]
    text = "".join(texts)
    if re.search("</(style|script)", text, re.IGNORECASE):
        raise ValueError(f"{own.name} or {shared.name} would end its element.")
    return Markup(text)  # noqa: S704  our own files


def changes_of(request: Request) -> Changes:
    """The change set of the episode and site that this request belongs to."""
    changes: Changes = request.scope["changes"]
    return changes


async def read_form(request: Request) -> Form:
    """The posted fields, spaces trimmed; the last of equal names counts."""
    body = await request.body()
    if len(body) > MAX_FORM_BYTES:
        raise HTTPException(413, "The form is too long.")
    pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: " ".join(value.split()) for name, value in pairs}


def find_or_404(items: Mapping[Key, Item], key: Key, what: str) -> Item:
    """The item called `key`, or the site's 404 page."""
    try:
        return items[key]
    except KeyError:
        raise HTTPException(404, f"This {what} does not exist.") from None


def see_other(path: str) -> Response:
    """Redirect to `path` after a form."""
    return RedirectResponse(path, status_code=303)


@dataclasses.dataclass(frozen=True)
class ListPage(Generic[Item]):
    """One page of a list, with the addresses of its neighbours ("" for none)."""

    items: Sequence[Item]
    number: int
    count: int
    total: int
    previous: str
    next: str


def paginate(
    request: Request, items: Sequence[Item], size: int = PAGE_SIZE
) -> ListPage[Item]:
    """The page of `items` that the request's `page` asks for, kept in range."""
    count = max(1, -(-len(items) // size))
    asked = request.query_params.get("page", "1")
    number = min(max(int(asked), 1), count) if re.fullmatch(r"\d{1,6}", asked) else 1
    first = (number - 1) * size

    def address(page: int) -> str:
        url = request.url.include_query_params(page=page)
        return f"{url.path}?{url.query}"

    return ListPage(
        items=items[first : first + size],
        number=number,
        count=count,
        total=len(items),
        previous=address(number - 1) if number > 1 else "",
        next=address(number + 1) if number < count else "",
    )


class Renderer:
    """Renders a site's templates with what every page of it shows."""

    def __init__(
        self, environment: Environment, shared: Callable[[Request], dict[str, Any]]
    ) -> None:
        """Bind the templates and the function that gives the shared values."""
        self._environment = environment
        self._shared = shared

    def __call__(
        self, request: Request, template: str, code: int = 200, /, **values: object
    ) -> HTMLResponse:
        """The page as a response, never cached."""
        text = self._environment.get_template(template).render(
            **self._shared(request), **values
        )
        headers = {"cache-control": "no-store"}
        return HTMLResponse(text, status_code=code, headers=headers)


def form_route(path: str, endpoint: Callable[[Request], Any]) -> Route:
    """A route that takes a posted form."""
    return Route(path, endpoint, methods=["POST"])
