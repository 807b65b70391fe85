"""Directions between two places, and the routes that Robin has saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.atlas import data, drawing, robin
from rollouts.sites.atlas.data import Place, Town
from rollouts.sites.atlas.directions import NoRoute, describe, plan_route
from rollouts.sites.atlas.drawing import Drawing
from rollouts.sites.atlas.rendering import atlas_of, render
from rollouts.sites.atlas.robin import SavedRoute
from rollouts.sites.atlas.search import find_one, format_time, parse_time
from rollouts.sites.atlas.state import Atlas
from rollouts.sites.atlas.streets import Route
from rollouts.sites.kit.web import paginate, read_form, see_other

LEAVE_AT = "09:00"
ROUTES_ON_PAGE = 6


@dataclasses.dataclass(frozen=True)
class Way:
    """One way to travel: the route with its steps, or why there is none."""

    mode: str
    route: Route | None
    steps: Sequence[str]
    arrival: str
    is_saved: bool
    problem: str = ""


def address(start: Place, end: Place, mode: str) -> str:
    """Where the directions are shown."""
    return "/directions?" + urlencode({"from": start.name, "to": end.name, "tab": mode})


def _way(start: Place, end: Place, mode: str, leave: int, atlas: Atlas) -> Way:
    try:
        route = plan_route(start, end, mode)
    except NoRoute as error:
        return Way(mode, None, (), "", False, str(error))
    is_saved = SavedRoute(start.slug, end.slug, mode) in atlas.routes
    arrival = format_time(leave + route.minutes)
    return Way(mode, route, describe(route, end), arrival, is_saved)


def _draw(home: Town, ends: Sequence[Place | None], ways: Sequence[Way]) -> Drawing:
    """The routes between the ends, or else the town where the start is."""
    places = [place for place in ends if place]
    town = data.TOWNS[places[0].town] if places else home
    routes = [way.route for way in ways if way.route]
    points = [point for route in routes for point in route.points]
    view = drawing.fit(points) if points else drawing.whole_town(town)
    shown = [place for place in places if place.town == town.name]
    return drawing.draw_town(town, view, shown, routes)


def _read(name: str, text: str) -> tuple[Place | None, str]:
    """The place in a field, or what is wrong with it."""
    if not text:
        return None, f'Fill in "{name}".'
    return find_one(text)


async def directions(request: Request) -> Response:
    """A form for start and end; with both, the way by car, bike and on foot."""
    query, atlas = request.query_params, atlas_of(request)
    form = {name: query.get(name, "")[:100].strip() for name in ("from", "to", "leave")}
    form["leave"] = form["leave"] or LEAVE_AT
    tab = query.get("tab", "")
    values = {
        "form": form,
        "tab": tab if tab in robin.MODES else atlas.settings["mode"],
    }
    leave = parse_time(form["leave"])
    errors = {"leave": "" if leave is not None else "Write the time like 14:30."}
    if leave is None:
        form["leave"], leave = LEAVE_AT, 0
    start, errors["from"] = _read("From", form["from"])
    end, errors["to"] = _read("To", form["to"])
    if "from" not in query or "to" not in query:
        errors = dict.fromkeys(errors, "")
    ways: list[Way] = []
    if start and end and not any(errors.values()):
        ways = [_way(start, end, mode, leave, atlas) for mode in robin.MODES]
    problems = {way.problem for way in ways}
    same = problems.pop() if len(problems) == 1 else ""
    ways = [] if same else ways
    return render(
        request,
        "directions.html",
        **values,
        errors=errors,
        problem=same,
        start=start,
        end=end,
        ways=ways,
        map=_draw(data.TOWNS[atlas.settings["town"]], (start, end), ways),
    )


async def routes(request: Request) -> Response:
    """The saved routes."""
    page = paginate(request, atlas_of(request).routes, ROUTES_ON_PAGE)
    rows = [
        (route, address(data.PLACES[route.start], data.PLACES[route.end], route.mode))
        for route in page.items
    ]
    return render(request, "routes.html", page=page, rows=rows)


async def keep(request: Request) -> Response:
    """Save a route or remove it, then show where the click was made."""
    form = await read_form(request)
    start = data.PLACES.get(form.get("from", ""))
    end = data.PLACES.get(form.get("to", ""))
    mode = form.get("mode", "")
    if start is None or end is None or mode not in robin.MODES:
        raise HTTPException(404, "This route does not exist.")
    try:
        plan_route(start, end, mode)
    except NoRoute as error:
        raise HTTPException(422, str(error)) from None
    route = SavedRoute(start.slug, end.slug, mode)
    atlas_of(request).set_route(route, form.get("on") == "yes")
    return see_other(
        "/routes" if form.get("back") == "routes" else address(start, end, mode)
    )
