"""Map tasks that end on a page."""

from __future__ import annotations

from random import Random
from urllib.parse import quote_plus

from rollouts.sites.atlas.drawing import WIDTHS, View
from rollouts.sites.atlas.lookups import (
    SEARCH_BOX,
    SORT_BOX,
    category_of,
    draw_category,
    draw_hour,
    draw_list,
    draw_near,
    draw_place,
    draw_town,
    go_to_category,
    go_to_town,
    list_of,
    place_of,
    town_of,
)
from rollouts.sites.atlas.search import SORTS, suggestion
from rollouts.sites.atlas.tasks.near import minutes_of, open_at
from rollouts.sites.kit.plans import Click, Search, Select, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.task_templates import Goal, Template, Values, known, navigate
from rollouts.sites.kit.vocabulary import slugify

HOME = ATLAS.placeholder
SORT_BY_LABEL = {label: key for key, label in SORTS.items() if key != "name"}
CLOSER = {"once": 1, "twice": 2}
SIDES = ("north", "south", "west", "east")
AREAS = {
    "Directions": "directions",
    "Towns": "towns",
    "Saved": "saved",
    "Routes": "routes",
    "Notes": "notes",
    "Settings": "settings",
}


def _draw_area(rng: Random) -> Values:
    return {"area": rng.choice(list(AREAS))}


def _area(values: Values) -> Goal:
    slug = known(AREAS, values["area"], "page")
    return navigate(f"{HOME}/{slug}", Click(values["area"]))


def _place(values: Values) -> Goal:
    place = place_of(values)
    steps: list[Step] = [Type(SEARCH_BOX, place.name), Click(suggestion(place))]
    return navigate(f"{HOME}/place/{place.slug}", steps)


def _category_address(values: Values) -> str:
    town = town_of(values)
    return f"{HOME}/town/{town.slug}/{slugify(category_of(values, town))}"


def _category(values: Values) -> Goal:
    return navigate(_category_address(values), go_to_category(values))


def _draw_sort(rng: Random) -> Values:
    return {**draw_category(rng), "sort": rng.choice(list(SORT_BY_LABEL))}


def _sorted(values: Values) -> Goal:
    sort = known(SORT_BY_LABEL, values["sort"], "way to sort")
    address = f"{_category_address(values)}?sort={sort}"
    steps = [*go_to_category(values), Select(SORT_BOX, values["sort"])]
    return navigate(address, steps)


def _draw_time(rng: Random) -> Values:
    return {**draw_category(rng), "time": draw_hour(rng)}


def _open_at(values: Values) -> Goal:
    minutes_of(values)
    address = f"{_category_address(values)}?open={values['time']}"
    return navigate(address, go_to_category(values), open_at(values["time"]))


def _results(values: Values) -> Goal:
    query = f"{values['category']} near {values['place']}"
    place_of(values)
    address = f"{HOME}/search?q={quote_plus(query)}"
    return navigate(address, Search(SEARCH_BOX, query))


def _draw_zoom(rng: Random) -> Values:
    return {**draw_town(rng), "times": rng.choice(list(CLOSER))}


def _zoom(values: Values) -> Goal:
    town, times = town_of(values), known(CLOSER, values["times"], "number of times")
    address = f"{HOME}/map/{town.slug}?zoom={1 + times}"
    steps = [*go_to_town(town), Click("Open map"), *[Click("Zoom in")] * times]
    return navigate(address, steps)


def _draw_pan(rng: Random) -> Values:
    return {**_draw_zoom(rng), "side": rng.choice(SIDES)}


def _pan(values: Values) -> Goal:
    """Close up first, so that half a picture is a small way."""
    town, times = town_of(values), known(CLOSER, values["times"], "number of times")
    side = known({side: side for side in SIDES}, values["side"], "side")
    view = View(town.center, WIDTHS[times])
    across, up = view.width // 2, view.height // 2
    moves = {"north": (0, up), "south": (0, -up), "west": (-across, 0)}
    (x, y), (right, north) = town.center, moves.get(side, (across, 0))
    query = f"zoom={1 + times}&x={x + right}&y={y + north}"
    steps = [*go_to_town(town), Click("Open map"), *[Click("Zoom in")] * times]
    return navigate(f"{HOME}/map/{town.slug}?{query}", steps, Click(f"Pan {side}"))


def _draw_list(rng: Random) -> Values:
    return {"list": draw_list(rng)}


def _list(values: Values) -> Goal:
    slug = list_of(values)
    return navigate(f"{HOME}/saved/{slug}", Click("Saved"), Click(values["list"]))


NAVIGATE_TEMPLATES = (
    Template(
        "atlas.open_area",
        ATLAS,
        "navigate",
        (
            "Open the {{area}} page.",
            "Go to {{area}}.",
            "Show me the {{area}} page of the map.",
        ),
        _draw_area,
        _area,
    ),
    Template(
        "atlas.open_place",
        ATLAS,
        "navigate",
        (
            'Open the page of the "{{place}}".',
            'Go to the page of "{{place}}".',
            'Show me the page of the place "{{place}}".',
            'Find "{{place}}" and open it.',
        ),
        draw_place,
        _place,
    ),
    Template(
        "atlas.open_results",
        ATLAS,
        "navigate",
        (
            'Search the map for "{{category}} near {{place}}".',
            'Look for "{{category}} near {{place}}".',
            'Show me the search results for "{{category}} near {{place}}".',
        ),
        draw_near,
        _results,
    ),
    Template(
        "atlas.open_category",
        ATLAS,
        "navigate",
        (
            "Open the town {{town}} and there the category {{category}}.",
            "Go to the page of {{town}} and open its {{category}} list.",
            "From the page of {{town}}, open the category {{category}}.",
        ),
        draw_category,
        _category,
    ),
    Template(
        "atlas.open_sorted",
        ATLAS,
        "navigate",
        (
            "Open the category {{category}} of the town {{town}} and sort it by "
            '"{{sort}}".',
            "From the page of {{town}}, open its {{category}} list and sort it by "
            '"{{sort}}".',
            'In {{town}}, go to the category {{category}} and sort by "{{sort}}".',
        ),
        _draw_sort,
        _sorted,
    ),
    Template(
        "atlas.open_at_time",
        ATLAS,
        "navigate",
        (
            "Open the category {{category}} of the town {{town}} and show only what is "
            "open at {{time}}.",
            "From the page of {{town}}, open its {{category}} list and keep the places "
            "open at {{time}}.",
            "In {{town}}, go to the category {{category}}, then apply the filter: open "
            "at {{time}}.",
        ),
        _draw_time,
        _open_at,
    ),
    Template(
        "atlas.open_zoomed",
        ATLAS,
        "navigate",
        (
            "Open the map of {{town}} and zoom in {{times}}.",
            "Show me the map of {{town}}, zoomed in {{times}}.",
            "Go to the map of the town {{town}} and zoom in {{times}}.",
        ),
        _draw_zoom,
        _zoom,
    ),
    Template(
        "atlas.open_panned",
        ATLAS,
        "navigate",
        (
            "Open the map of {{town}}, zoom in {{times}} and then pan {{side}} once.",
            "Show me the map of {{town}}, zoomed in {{times}}, then pan {{side}} once.",
            "Go to the map of {{town}}. Zoom in {{times}}, then pan {{side}} once.",
        ),
        _draw_pan,
        _pan,
        is_held_out=True,
    ),
    Template(
        "atlas.open_list",
        ATLAS,
        "navigate",
        (
            "Open my list {{list}}.",
            "Show me the places that I saved in {{list}}.",
            "Go to my saved list {{list}}.",
        ),
        _draw_list,
        _list,
    ),
)
