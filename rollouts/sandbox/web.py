"""What the sites share: host names, forms, lists in pages, rendering."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rollouts.sandbox.episodes import Changes

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
    """Templates of a site; the shared ones can be extended and imported."""
    return Environment(
        loader=FileSystemLoader([folder / "templates", HERE / "templates"]),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def read_static(folder: Path, site_key: str) -> dict[str, tuple[str, str]]:
    """The site's style sheet and script: file name to (text, media type).

    A site adds rules of its own to the shared ones, and a script if it has one.
    """
    style = (HERE / "static" / "base.css").read_text("utf-8")
    style += (folder / "static" / f"{site_key}.css").read_text("utf-8")
    script = (HERE / "static" / "site.js").read_text("utf-8")
    own_script = folder / "static" / f"{site_key}.js"
    if own_script.exists():
        script += own_script.read_text("utf-8")
    return {
        "site.css": (style, "text/css"),
        "site.js": (script, "text/javascript"),
    }


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
    """After a form: go and look at `path`."""
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
        self, request: Request, template: str, code: int = 200, /, **values: Any
    ) -> HTMLResponse:
        """The page as a response, never cached."""
        text = self._environment.get_template(template).render(
            **self._shared(request), **values
        )
        headers = {"cache-control": "no-store"}
        return HTMLResponse(text, status_code=code, headers=headers)
