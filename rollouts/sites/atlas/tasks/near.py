"""Map tasks that compare places: the nearest, the best rated, what is open."""

from __future__ import annotations

from random import Random

from rollouts.sites.atlas import data
from rollouts.sites.atlas.directions import format_distance
from rollouts.sites.atlas.lookups import (
    CATEGORY_NAMES,
    SEARCH_BOX,
    SORT_BOX,
    best_of,
    draw_category,
    draw_hour,
    draw_near,
    near_query,
    nearest_of,
    town_of,
    town_query,
)
from rollouts.sites.atlas.search import SORTS, parse_time
from rollouts.sites.kit.plans import Click, Search, Select, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    cannot,
    find,
    known,
    require,
)

BY_RATING = Select(SORT_BOX, SORTS["rating"])


def open_at(time: str) -> list[Step]:
    """Keep what is open then."""
    return [Type("Open at", time), Click("Apply")]


def minutes_of(values: Values) -> int:
    """The time that a blank names."""
    minutes = parse_time(values["time"])
    require(minutes is not None, "The time must be written like 14:30.")
    return minutes or 0


def draw_open(rng: Random) -> Values:
    """A category and an hour at which some place of it is open."""
    while True:
        values = {**draw_category(rng), "time": draw_hour(rng)}
        town = data.TOWNS[values["town"]]
        places = [
            place
            for place in data.BY_TOWN[town.name]
            if place.category.lower() == values["category"]
        ]
        minutes = parse_time(values["time"]) or 0
        if any(p.opens * 60 <= minutes < p.closes * 60 for p in places):
            return values


def _nearest(values: Values) -> Goal:
    row = nearest_of(values)
    return find(row.place.name, Search(SEARCH_BOX, near_query(values)))


def _nearest_distance(values: Values) -> Goal:
    row = nearest_of(values)
    metres = format_distance(row.metres or 0)
    return find(metres, Search(SEARCH_BOX, near_query(values)))


def _nearest_phone(values: Values) -> Goal:
    place = nearest_of(values).place
    require(bool(place.phone), f"{place.name} has no phone.")
    steps: list[Step] = [Search(SEARCH_BOX, near_query(values)), Click(place.name)]
    return find(place.phone, steps)


def _draw_near_phone(rng: Random) -> Values:
    while True:
        values = draw_near(rng)
        if nearest_of(values).place.phone:
            return values


def _best(values: Values) -> Goal:
    place = best_of(values)
    return find(place.name, Search(SEARCH_BOX, town_query(values)), BY_RATING)


def _best_open(values: Values) -> Goal:
    place = best_of(values, minutes_of(values))
    search = Search(SEARCH_BOX, town_query(values))
    return find(place.name, search, open_at(values["time"]), BY_RATING)


def _best_closing(values: Values) -> Goal:
    place = best_of(values)
    search = Search(SEARCH_BOX, town_query(values))
    return find(f"{place.closes}:00", search, BY_RATING, Click(place.name))


def _draw_no_category(rng: Random) -> Values:
    town = data.TOWNS[rng.choice(list(data.TOWNS))]
    return {"town": town.name, "category": rng.choice(town.missing).lower()}


def _no_category(values: Values) -> Goal:
    town = town_of(values)
    category = known(CATEGORY_NAMES, values["category"], "category")
    require(category in town.missing, f"{town.name} has such places.")
    return cannot(Search(SEARCH_BOX, town_query(values)))


NEAR_TEMPLATES = table(
    ATLAS,
    "find",
    row(
        "atlas.find_nearest",
        draw_near,
        _nearest,
        'Which {{category}} is nearest to the "{{place}}"?',
        'What is the name of the {{category}} nearest to the "{{place}}"?',
        'Find the {{category}} with the shortest straight way from "{{place}}".',
        'I am at the "{{place}}". Which {{category}} is nearest?',
    ),
    row(
        "atlas.find_nearest_distance",
        draw_near,
        _nearest_distance,
        'How far is the nearest {{category}} from the "{{place}}" in a straight line?',
        'What is the straight distance from "{{place}}" to the nearest {{category}}?',
        'Look for the {{category}} nearest to the "{{place}}": how far is it in a '
        "straight line?",
    ),
    row(
        "atlas.find_nearest_phone",
        _draw_near_phone,
        _nearest_phone,
        'What is the phone number of the {{category}} nearest to the "{{place}}"?',
        'Find the {{category}} nearest to "{{place}}" and tell me its phone number.',
        'I am at the "{{place}}" and want to call the nearest {{category}}. Which '
        "number is it?",
        is_held_out=True,
    ),
    row(
        "atlas.find_best",
        draw_category,
        _best,
        "Which {{category}} in {{town}} is rated best?",
        "What is the name of the best rated {{category}} in {{town}}?",
        "Find the {{category}} with the highest rating in {{town}}.",
        "Tell me the best rated {{category}} of {{town}}.",
    ),
    row(
        "atlas.find_best_open",
        draw_open,
        _best_open,
        "Which {{category}} in {{town}} that is open at {{time}} is rated best?",
        "Which {{category}} in {{town}} has the best rating among those open at "
        "{{time}}?",
        "Find the best rated {{category}} in {{town}} that is open at {{time}}.",
    ),
    row(
        "atlas.find_best_closing",
        draw_category,
        _best_closing,
        "At what time does the best rated {{category}} in {{town}} close?",
        "When does the {{category}} with the highest rating in {{town}} close?",
        "Find the best rated {{category}} in {{town}}: what is its closing time?",
        is_held_out=True,
    ),
    row(
        "atlas.no_category",
        _draw_no_category,
        _no_category,
        "Which {{category}} in {{town}} is rated best?",
        "Open the best rated {{category}} in {{town}}.",
        "What is the address of a {{category}} in {{town}}?",
        kind="impossible",
    ),
)
