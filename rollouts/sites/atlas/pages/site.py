"""The map's pages: regions, towns, lists of places, the map itself; all routes."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rollouts.sites.atlas import data, drawing
from rollouts.sites.atlas.data import Place, Town
from rollouts.sites.atlas.drawing import WIDTHS, View
from rollouts.sites.atlas.pages import own, route
from rollouts.sites.atlas.pages import place as place_pages
from rollouts.sites.atlas.rendering import atlas_of, render, town_of
from rollouts.sites.atlas.search import (
    EXAMPLE,
    SORTS,
    Found,
    Row,
    arrange,
    find,
    in_category,
    parse_time,
    suggest,
)
from rollouts.sites.atlas.state import new_changes
from rollouts.sites.atlas.streets import measure
from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.web import find_or_404, form_route, paginate

MAP_PLACES = 6
WRONG_TIME = "Write the time like 14:30."


async def home(request: Request) -> Response:
    """All regions, on a map and as links."""
    return render(request, "home.html", example=EXAMPLE)


async def region(request: Request) -> Response:
    """The towns of a region."""
    slug = request.path_params["slug"]
    name = find_or_404(data.REGION_BY_SLUG, slug, "region")
    return render(
        request,
        "region.html",
        name=name,
        found=[data.TOWNS[town] for town in data.REGIONS[name]],
    )


async def all_towns(request: Request) -> Response:
    """Every town, by name."""
    return render(request, "towns.html")


async def town(request: Request) -> Response:
    """A town: figures, categories, its map."""
    found = town_of(request)
    counts = {name: len(in_category(found, name)) for name in found.categories}
    picture = drawing.draw_town(found, drawing.whole_town(found))
    return render(request, "town.html", town=found, counts=counts, map=picture)


def _picture(rows: Sequence[Row]) -> drawing.Drawing | None:
    """The places of a list on a map, where all are in one town."""
    places = [row.place for row in rows]
    towns = {place.town for place in places}
    if len(towns) != 1:
        return None
    found = data.TOWNS[towns.pop()]
    return drawing.draw_town(found, drawing.whole_town(found), places)


def _list_page(
    request: Request, found: Found, town: Town | None = None, **values: object
) -> Response:
    """A list of places with sorting, a filter by time, pages and a map."""
    query = request.query_params
    standard = "nearest" if found.distance else "name"
    sort = query.get("sort", "")
    sort = sort if sort in SORTS else standard
    open_at = query.get("open", "")[:10]
    minutes = parse_time(open_at)
    rows = arrange(found.places, sort, minutes, found.distance)
    page = paginate(request, rows)
    return render(
        request,
        "places.html",
        found=found,
        town=town,
        page=page,
        sort=sort,
        sorts=SORTS,
        open_at=open_at if minutes is not None else "",
        error=WRONG_TIME if open_at and minutes is None else "",
        map=_picture(page.items),
        **values,
    )


async def category(request: Request) -> Response:
    """A town's places of one category."""
    found = town_of(request)
    slug = request.path_params["category"]
    name = find_or_404(data.CATEGORY_BY_SLUG, slug, "category")
    heading = f"{data.CATEGORIES[name]} in {found.name}"
    listed = Found(heading, in_category(found, name))
    return _list_page(request, listed, found, query="")


async def search(request: Request) -> Response:
    """Places and towns for what was typed."""
    query = request.query_params.get("q", "").strip()[:100]
    found = find(query, atlas_of(request).settings["town"])
    return _list_page(request, found, query=query)


async def suggestions(request: Request) -> Response:
    """Names that go with what has been typed so far."""
    return JSONResponse(suggest(request.query_params.get("q", "")[:100]))


def _whole(text: str | None, low: int, high: int, standard: int) -> int:
    """The number in a text, kept within limits."""
    digits = (text or "").removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 6:
        return standard
    return min(max(int(text or ""), low), high)


def _moves(town: Town, view: View, zoom: int) -> dict[str, str]:
    """Addresses of the map seen closer, wider and to each side."""
    (x, y), across, up = view.center, view.width // 2, view.height // 2

    def address(zoom: int, x: int, y: int) -> str:
        return f"/map/{town.slug}?zoom={zoom}&x={x}&y={y}"

    moves = {
        "Pan north": address(zoom, x, y + up),
        "Pan south": address(zoom, x, y - up),
        "Pan west": address(zoom, x - across, y),
        "Pan east": address(zoom, x + across, y),
    }
    if zoom < len(WIDTHS):
        moves["Zoom in"] = address(zoom + 1, x, y)
    if zoom > 1:
        moves["Zoom out"] = address(zoom - 1, x, y)
    return moves


async def town_map(request: Request) -> Response:
    """The map of a town, with the places nearest to its middle."""
    found, query = town_of(request), request.query_params
    (x, y), edge = found.center, WIDTHS[0] // 2
    zoom = _whole(query.get("zoom"), 1, len(WIDTHS), 1)
    center = (
        _whole(query.get("x"), x - edge, x + edge, x),
        _whole(query.get("y"), y - edge, y + edge, y),
    )
    view = View(center, WIDTHS[zoom - 1])
    seen = [place for place in data.BY_TOWN[found.name] if view.holds(place.point)]

    def away(place: Place) -> tuple[int, str]:
        return measure(place.point, center), place.name

    shown = sorted(seen, key=away)[:MAP_PLACES]
    return render(
        request,
        "map.html",
        town=found,
        zoom=zoom,
        moves=_moves(found, view, zoom),
        total=len(seen),
        places=shown,
        map=drawing.draw_town(found, view, shown),
    )


def error_page(request: Request, status: int, message: str) -> Response:
    """What a person sees instead of a page."""
    return render(request, "error.html", status, status=status, message=message)


ATLAS_PAGES = SitePages(
    key=ATLAS.key,
    new_changes=new_changes,
    error_page=error_page,
    routes=[
        Route("/", home),
        Route("/towns", all_towns),
        Route("/region/{slug}", region),
        Route("/town/{town}", town),
        Route("/town/{town}/{category}", category),
        Route("/map/{town}", town_map),
        Route("/search", search),
        Route("/suggest", suggestions),
        Route("/place/{slug}", place_pages.place),
        form_route("/place/{slug}/save", place_pages.save),
        form_route("/place/{slug}/report", place_pages.report),
        form_route("/place/{slug}/review", place_pages.review),
        Route("/directions", route.directions),
        Route("/routes", route.routes),
        form_route("/routes", route.keep),
        Route("/saved", own.saved),
        form_route("/saved", own.new_list),
        Route("/saved/{slug}", own.one_list),
        form_route("/saved/{slug}/remove", own.remove),
        form_route("/saved/{slug}/delete", own.delete_list),
        Route("/notes", own.notes),
        Route("/note/{number}", own.note),
        form_route("/note/{number}", own.resolve),
        Route("/settings", own.settings),
        form_route("/settings", own.change_settings),
    ],
)
