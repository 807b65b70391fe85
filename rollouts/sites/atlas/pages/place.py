"""A place's page and its forms: save to a list, report a problem, review."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.atlas import data, drawing, robin
from rollouts.sites.atlas.data import Place
from rollouts.sites.atlas.drawing import WIDTHS, View
from rollouts.sites.atlas.rendering import atlas_of, place_of, render
from rollouts.sites.atlas.search import Row, arrange
from rollouts.sites.atlas.state import AtlasError
from rollouts.sites.atlas.streets import measure
from rollouts.sites.kit.web import read_form, see_other

NEARBY = 4


def nearby(place: Place) -> list[Row]:
    """The nearest places of any category."""
    others = [p for p in data.BY_TOWN[place.town] if p != place]
    rows = arrange(others, "nearest", None, lambda p: measure(p.point, place.point))
    return rows[:NEARBY]


def _place_page(request: Request, place: Place, error: str = "") -> Response:
    atlas, town = atlas_of(request), data.TOWNS[place.town]
    view = View(place.point, WIDTHS[2])
    return render(
        request,
        "place.html",
        422 if error else 200,
        place=place,
        town=town,
        nearby=nearby(place),
        reviews=atlas.reviews(place),
        lists=atlas.lists,
        saved_in=atlas.lists_of(place),
        report=atlas.report(place),
        note=robin.NOTE_BY_PLACE.get(place.slug),
        problems=robin.PROBLEMS,
        map=drawing.draw_town(town, view, [place]),
        error=error,
    )


async def place(request: Request) -> Response:
    """One place: details, what is near, reviews."""
    return _place_page(request, place_of(request))


async def save(request: Request) -> Response:
    """Put the place on a list, an old one or a new one."""
    found, form = place_of(request), await read_form(request)
    atlas, name = atlas_of(request), form.get("new", "")
    try:
        slug = atlas.add_list(name) if name else form.get("list", "")
        atlas.set_saved(slug, found, True)
    except AtlasError as error:
        return _place_page(request, found, str(error))
    return see_other(f"/place/{found.slug}")


async def report(request: Request) -> Response:
    """Say what is wrong with the place."""
    found, form = place_of(request), await read_form(request)
    try:
        atlas_of(request).add_report(
            found, form.get("problem", ""), form.get("text", "")
        )
    except AtlasError as error:
        return _place_page(request, found, str(error))
    return see_other(f"/place/{found.slug}")


async def review(request: Request) -> Response:
    """Write a review, then show the reviews."""
    found, form = place_of(request), await read_form(request)
    stars = form.get("stars", "")
    number = int(stars) if stars in {"1", "2", "3", "4", "5"} else 0
    try:
        atlas_of(request).write_review(found, number, form.get("text", ""))
    except AtlasError as error:
        return _place_page(request, found, str(error))
    return see_other(f"/place/{found.slug}?tab=reviews")
