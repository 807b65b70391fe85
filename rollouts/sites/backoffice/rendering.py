"""What all pages of the back office use: the renderer, the office, lists, notices."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.backoffice.records import format_day, format_price
from rollouts.sites.backoffice.state import Office
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.kit.web import Renderer, changes_of, new_environment

FOLDER = Path(__file__).parent
PAGE_SIZE = 6
SECTIONS = {
    "Orders": "/orders",
    "Products": "/products",
    "Customers": "/customers",
    "Reviews": "/reviews",
    "Promotions": "/promotions",
    "Reports": "/reports",
}
# What a page says after a form; forms lead to `?done=KEY`.
NOTICES = {
    "invoiced": "The invoice is on its way.",
    "shipped": "The shipment is on its way.",
    "cancelled": "The order is cancelled.",
    "commented": "The comment is saved.",
    "saved": "The changes are saved.",
    "enabled": "The product is enabled.",
    "disabled": "The product is disabled.",
    "approved": "The review is approved.",
    "rejected": "The review is rejected.",
    "applied": "The action was applied.",
    "added": "The rule is added.",
    "deleted": "The rule is deleted.",
}

Item = TypeVar("Item")
Sorts = Mapping[str, tuple[str, Callable[[Item], Any]]]


def _shared(request: Request) -> dict[str, Any]:
    return {
        "site": BACKOFFICE,
        "sections": SECTIONS,
        "path": request.url.path,
        "notice": NOTICES.get(request.query_params.get("done", ""), ""),
    }


_environment = new_environment(FOLDER)
_environment.filters["price"] = format_price
_environment.filters["day"] = format_day
_environment.filters["slug"] = slugify
render = Renderer(_environment, _shared)


def office_of(request: Request) -> Office:
    """The office of the request's episode."""
    return Office(changes_of(request))


def number_in_path(request: Request) -> int:
    """The number that the address names, or the site's 404 page."""
    text = request.path_params["number"]
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII):
        raise HTTPException(404, "This number does not exist.")
    return int(text)


def choice(request: Request, name: str, options: Collection[str]) -> str:
    """The query's value if it is one of the options, else ""."""
    asked = request.query_params.get(name, "")
    return asked if asked in options else ""


@dataclasses.dataclass(frozen=True)
class Head:
    """A column head that sorts: `direction` is "", "ascending" or "descending"."""

    label: str
    address: str
    direction: str


def sort_items(
    request: Request, items: Iterable[Item], sorts: Sorts[Item], default: str
) -> tuple[list[Item], list[Head]]:
    """The items as the query's `sort` asks ("-total": backwards), and the heads."""
    both = [*sorts, *(f"-{key}" for key in sorts)]
    sort = choice(request, "sort", both) or default
    order = sorts[sort.removeprefix("-")][1]
    found = sorted(items, key=order, reverse=sort.startswith("-"))
    return found, [_head(request, key, sorts[key][0], sort) for key in sorts]


def _head(request: Request, key: str, label: str, sort: str) -> Head:
    """A click sorts upwards, the next one downwards."""
    asked = f"-{key}" if sort == key else key
    url = request.url.remove_query_params(["page", "done"])
    url = url.include_query_params(sort=asked)
    directions = {key: "ascending", f"-{key}": "descending"}
    return Head(label, f"{url.path}?{url.query}", directions.get(sort, ""))


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)
