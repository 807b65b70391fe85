"""Map tasks about the way between two places, and saved routes."""

from __future__ import annotations

from random import Random
from urllib.parse import urlencode

from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.directions import format_distance
from rollouts.sites.atlas.lookups import (
    MODE_NAMES,
    PLACES,
    SEARCH_BOX,
    ask_way,
    choose_tab,
    draw_near,
    draw_trip,
    mode_of,
    near_query,
    nearest_of,
    place_of,
    trip_of,
)
from rollouts.sites.atlas.pages.route import ROUTES_ON_PAGE
from rollouts.sites.atlas.robin import SavedRoute
from rollouts.sites.atlas.search import format_time
from rollouts.sites.atlas.tasks.near import minutes_of
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Search, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    cannot,
    change,
    find,
    known,
    navigate,
    require,
)

KEEP: list[Step] = [Click("Save route")]
CAR_FREE = [place for place in PLACES if "car" not in place.spot.edge.modes]
BASE_ROUTES = {route.name: route for route in robin.ROUTES.values()}


def _distance(values: Values) -> Goal:
    start, end, route = trip_of(values)
    steps = ask_way(start, end, route.mode)
    return find(format_distance(route.metres), steps)


def _minutes(values: Values) -> Goal:
    start, end, route = trip_of(values)
    return find(str(route.minutes), ask_way(start, end, route.mode))


def _draw_leave(rng: Random) -> Values:
    time = f"{rng.randint(7, 20):02d}:{rng.choice(range(5, 60, 5)):02d}"
    return {**draw_trip(rng), "time": time}


def _arrival(values: Values) -> Goal:
    start, end, route = trip_of(values)
    arrival = format_time(minutes_of(values) + route.minutes)
    return find(arrival, ask_way(start, end, route.mode, values["time"]))


def _first_turn(values: Values) -> Goal:
    start, end, route = trip_of(values)
    require(len(route.legs) > 1, "The way has no turn.")
    return find(route.legs[1].street, ask_way(start, end, route.mode))


def _draw_ends(rng: Random) -> Values:
    values = draw_trip(rng)
    return {"start": values["start"], "end": values["end"]}


def _open(values: Values) -> Goal:
    start, end, _ = trip_of({**values, "mode": "on foot"})
    query = urlencode({"from": start.name, "to": end.name})
    return navigate(f"{ATLAS.placeholder}/directions?{query}", ask_way(start, end))


def _free(route: SavedRoute) -> SavedRoute:
    require(route.key not in robin.ROUTES, "Robin has saved this route already.")
    return route


def _save(values: Values) -> Goal:
    start, end, route = trip_of(values)
    saved = _free(SavedRoute(start.slug, end.slug, route.mode))
    state = {"routes": {saved.key: True}}
    return change(ATLAS, state, ask_way(start, end, route.mode), KEEP)


def _draw_nearest(rng: Random) -> Values:
    while True:
        values = {**draw_near(rng), "mode": rng.choice(list(MODE_NAMES))}
        start, end = place_of(values), nearest_of(values).place
        if all(mode_of(values) in place.spot.edge.modes for place in (start, end)):
            return values


def _save_nearest(values: Values) -> Goal:
    start, end = values["place"], nearest_of(values).place
    _, _, route = trip_of({"start": start, "end": end.name, "mode": values["mode"]})
    saved = _free(SavedRoute(place_of(values).slug, end.slug, route.mode))
    steps: list[Step] = [Search(SEARCH_BOX, near_query(values)), Click(end.name)]
    steps += [Click("Route to here"), Type("From", start), Click("Get directions")]
    state = {"routes": {saved.key: True}}
    return change(ATLAS, state, steps, choose_tab(route.mode), KEEP)


def _remove(values: Values) -> Goal:
    route = known(BASE_ROUTES, values["route"], "saved route")
    turns = list(robin.ROUTES).index(route.key) // ROUTES_ON_PAGE
    steps = [Click("Routes"), *[Click("Next page")] * turns]
    state = {"routes": {route.key: False}}
    return change(ATLAS, state, steps, Click(f"Remove {route.name}"))


def _draw_between_towns(rng: Random) -> Values:
    while True:
        start, end = rng.sample(PLACES, 2)
        if start.town != end.town:
            mode = rng.choice(list(MODE_NAMES))
            return {"start": start.name, "end": end.name, "mode": mode}


def _between_towns(values: Values) -> Goal:
    mode_of(values)
    start, end = place_of(values, "start"), place_of(values, "end")
    require(start.town != end.town, "The places are in the same town.")
    return cannot(ask_way(start, end))


def _draw_car_free(rng: Random) -> Values:
    end = rng.choice(CAR_FREE)
    others = [place for place in data.BY_TOWN[end.town] if place not in CAR_FREE]
    return {"start": rng.choice(others).name, "end": end.name}


def _car_free(values: Values) -> Goal:
    start, end = place_of(values, "start"), place_of(values, "end")
    require(start.town == end.town, "The places are in different towns.")
    require("car" not in end.spot.edge.modes, "Cars may go there.")
    return cannot(ask_way(start, end))


ROUTE_TEMPLATES = table(
    ATLAS,
    "find",
    row(
        "atlas.find_distance",
        draw_trip,
        _distance,
        'How far is it from "{{start}}" to "{{end}}" {{mode}}?',
        'What is the distance {{mode}} from the "{{start}}" to the "{{end}}"?',
        'I go {{mode}} from "{{start}}" to "{{end}}". How long is the way, not in '
        "minutes?",
    ),
    row(
        "atlas.find_minutes",
        draw_trip,
        _minutes,
        'How many minutes is it from "{{start}}" to "{{end}}" {{mode}}?',
        'How many minutes does one need {{mode}} from "{{start}}" to "{{end}}"?',
        'Tell me the minutes from the "{{start}}" to the "{{end}}" {{mode}}, only '
        "the number.",
    ),
    row(
        "atlas.find_arrival",
        _draw_leave,
        _arrival,
        'I leave the "{{start}}" at {{time}} {{mode}}. When do I arrive at the '
        '"{{end}}"?',
        'When does one arrive at "{{end}}", leaving "{{start}}" {{mode}} at {{time}}?',
        'From "{{start}}" to "{{end}}" {{mode}}, leave at {{time}}: what is the '
        "time of arrival?",
    ),
    row(
        "atlas.find_first_turn",
        draw_trip,
        _first_turn,
        'On the way from "{{start}}" to "{{end}}" {{mode}}, which street, road '
        "or path comes second?",
        'I go from "{{start}}" to "{{end}}" {{mode}}. Which street, road or path '
        "do I take in step 2?",
        'Ask for the way {{mode}} from "{{start}}" to "{{end}}": which street, '
        "road or path does step 2 name?",
        is_held_out=True,
    ),
    row(
        "atlas.open_directions",
        _draw_ends,
        _open,
        'Show me the directions from "{{start}}" to "{{end}}".',
        'Open the directions from the "{{start}}" to the "{{end}}".',
        'Find the way from "{{start}}" to "{{end}}" and stay on that page.',
        kind="navigate",
    ),
    row(
        "atlas.save_route",
        draw_trip,
        _save,
        'Save the route from "{{start}}" to "{{end}}" {{mode}}.',
        'Add the way from the "{{start}}" to the "{{end}}" {{mode}} to my routes.',
        'I want the route {{mode}} from "{{start}}" to "{{end}}" among my saved '
        "routes.",
        kind="change",
    ),
    row(
        "atlas.save_route_to_nearest",
        _draw_nearest,
        _save_nearest,
        'Save the route {{mode}} from "{{place}}" to the {{category}} nearest to it.',
        'Find the {{category}} nearest to the "{{place}}" and save the route '
        "{{mode}} from there to it.",
        'From the "{{place}}" I go {{mode}} to the nearest {{category}}. Save that '
        "route.",
        kind="change",
    ),
    row(
        "atlas.remove_route",
        draw_one("route", BASE_ROUTES),
        _remove,
        'Remove "{{route}}" from my saved routes.',
        'Take the route "{{route}}" out of my routes.',
        'I no longer need the saved route "{{route}}", remove it.',
        kind="change",
    ),
    row(
        "atlas.route_between_towns",
        _draw_between_towns,
        _between_towns,
        'How many minutes is it from "{{start}}" to "{{end}}" {{mode}}?',
        'Save the route from "{{start}}" to "{{end}}" {{mode}}.',
        'What is the distance {{mode}} from the "{{start}}" to the "{{end}}"?',
        kind="impossible",
    ),
    row(
        "atlas.car_free_route",
        _draw_car_free,
        _car_free,
        'How many minutes is it from "{{start}}" to "{{end}}" by car?',
        'Save the route from "{{start}}" to "{{end}}" by car.',
        'What is the distance by car from the "{{start}}" to the "{{end}}"?',
        kind="impossible",
        is_held_out=True,
    ),
)
