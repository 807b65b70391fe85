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
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import open_area
from rollouts.sites.kit.plans import Click, Search, Select, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import Goal, Values, known, navigate
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


def _place(values: Values) -> Goal:
    place = place_of(values)
    steps: list[Step] = [Type(SEARCH_BOX, place.name), Click(suggestion(place))]
    return navigate(f"{HOME}/place/{place.slug}", steps)


def _category_address(values: Values) -> str:
    town = town_of(values)
    return f"{HOME}/town/{town.slug}/{slugify(category_of(values, town))}"


def _category(values: Values) -> Goal:
    return navigate(_category_address(values), go_to_category(values))


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


def _zoom(values: Values) -> Goal:
    town, times = town_of(values), known(CLOSER, values["times"], "number of times")
    address = f"{HOME}/map/{town.slug}?zoom={1 + times}"
    steps = [*go_to_town(town), Click("Open map"), *[Click("Zoom in")] * times]
    return navigate(address, steps)


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


NAVIGATE_TEMPLATES = table(
    ATLAS,
    "navigate",
    row(
        "atlas.open_area",
        draw_one("area", AREAS),
        open_area(ATLAS, AREAS),
        "Open the {{area}} page.",
        "Go to {{area}}.",
        "Show me the {{area}} page of the map.",
    ),
    row(
        "atlas.open_place",
        draw_place,
        _place,
        'Open the page of the "{{place}}".',
        'Go to the page of "{{place}}".',
        'Show me the page of the place "{{place}}".',
        'Find "{{place}}" and open it.',
    ),
    row(
        "atlas.open_results",
        draw_near,
        _results,
        'Search the map for "{{category}} near {{place}}".',
        'Look for "{{category}} near {{place}}".',
        'Show me the search results for "{{category}} near {{place}}".',
    ),
    row(
        "atlas.open_category",
        draw_category,
        _category,
        "Open the town {{town}} and there the category {{category}}.",
        "Go to the page of {{town}} and open its {{category}} list.",
        "From the page of {{town}}, open the category {{category}}.",
    ),
    row(
        "atlas.open_sorted",
        draw_one("sort", SORT_BY_LABEL, after=draw_category),
        _sorted,
        "Open the category {{category}} of the town {{town}} and sort it by "
        '"{{sort}}".',
        "From the page of {{town}}, open its {{category}} list and sort it by "
        '"{{sort}}".',
        'In {{town}}, go to the category {{category}} and sort by "{{sort}}".',
    ),
    row(
        "atlas.open_at_time",
        _draw_time,
        _open_at,
        "Open the category {{category}} of the town {{town}} and show only what is "
        "open at {{time}}.",
        "From the page of {{town}}, open its {{category}} list and keep the places "
        "open at {{time}}.",
        "In {{town}}, go to the category {{category}}, then apply the filter: open "
        "at {{time}}.",
    ),
    row(
        "atlas.open_zoomed",
        draw_one("times", CLOSER, after=draw_town),
        _zoom,
        "Open the map of {{town}} and zoom in {{times}}.",
        "Show me the map of {{town}}, zoomed in {{times}}.",
        "Go to the map of the town {{town}} and zoom in {{times}}.",
    ),
    row(
        "atlas.open_panned",
        draw_one("side", SIDES, after=draw_one("times", CLOSER, after=draw_town)),
        _pan,
        "Open the map of {{town}}, zoom in {{times}} and then pan {{side}} once.",
        "Show me the map of {{town}}, zoomed in {{times}}, then pan {{side}} once.",
        "Go to the map of {{town}}. Zoom in {{times}}, then pan {{side}} once.",
        is_held_out=True,
    ),
    row(
        "atlas.open_list",
        _draw_list,
        _list,
        "Open my list {{list}}.",
        "Show me the places that I saved in {{list}}.",
        "Go to my saved list {{list}}.",
    ),
)
