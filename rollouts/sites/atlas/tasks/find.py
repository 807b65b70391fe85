"""Map tasks that ask about places, towns and notes, and some that cannot be done."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from rollouts.sites.atlas import data
from rollouts.sites.atlas.data import ADJECTIVES, CATEGORIES, NOUNS, Town
from rollouts.sites.atlas.lookups import (
    PLACES,
    SEARCH_BOX,
    draw_place,
    draw_town,
    go_to,
    go_to_town,
    place_of,
    town_of,
)
from rollouts.sites.atlas.search import format_time
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.goals import tell_field
from rollouts.sites.kit.plans import Click, Search
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

TOWN_FACTS: dict[str, Callable[[Town], int]] = {
    "population": lambda town: town.population,
    "postcode": lambda town: town.postcode,
    "year of founding": lambda town: town.founded,
}


def _draw_phone(rng: Random) -> Values:
    return {"place": rng.choice([p for p in PLACES if p.phone]).name}


def _phone(values: Values) -> Goal:
    place = place_of(values)
    require(bool(place.phone), f"{place.name} has no phone.")
    return find(place.phone, go_to(place))


def _address(values: Values) -> Goal:
    place = place_of(values)
    return find(place.address, Search(SEARCH_BOX, place.name))


def _coordinates(values: Values) -> Goal:
    place = place_of(values)
    return find(data.format_coordinates(place.town, place.point), go_to(place))


def _draw_hours(rng: Random) -> Values:
    return {**draw_place(rng), "moment": rng.choice(("open", "close"))}


def _hours(values: Values) -> Goal:
    place = place_of(values)
    hours = {"open": place.opens, "close": place.closes}
    hour = known(hours, values["moment"], "moment")
    return find(format_time(hour * 60), go_to(place))


def _draw_stars(rng: Random) -> Values:
    place = rng.choice(PLACES)
    return {"place": place.name, "stars": str(rng.choice(place.reviews).stars)}


def _reviewer(values: Values) -> Goal:
    place = place_of(values)
    authors = {str(review.stars): review.author for review in place.reviews}
    require(values["stars"] in authors, "Nobody gave it that many stars.")
    return find(authors[values["stars"]], go_to(place), Click("Reviews"))


def _draw_reviewer(rng: Random) -> Values:
    place = rng.choice(PLACES)
    return {"place": place.name, "person": rng.choice(place.reviews).author}


def _stars(values: Values) -> Goal:
    place = place_of(values)
    stars = {review.author: str(review.stars) for review in place.reviews}
    require(values["person"] in stars, "This person has not reviewed it.")
    return find(stars[values["person"]], go_to(place), Click("Reviews"))


def _town_fact(values: Values) -> Goal:
    town = town_of(values)
    fact = known(TOWN_FACTS, values["fact"], "figure")
    return find(str(fact(town)), go_to_town(town))


def _draw_missing(rng: Random) -> Values:
    """A name that no place has, though each of its words is known."""
    while True:
        words = (
            rng.choice(ADJECTIVES),
            rng.choice(NOUNS),
            rng.choice(list(CATEGORIES)),
        )
        name = " ".join(words)
        if name not in data.PLACE_BY_NAME:
            return {"place": name}


def _missing(values: Values) -> Goal:
    name = values["place"]
    require(name not in data.PLACE_BY_NAME, "The place exists.")
    return cannot(Search(SEARCH_BOX, name))


def _draw_without_phone(rng: Random) -> Values:
    return {"place": rng.choice([p for p in PLACES if not p.phone]).name}


def _without_phone(values: Values) -> Goal:
    place = place_of(values)
    require(not place.phone, "The place has a phone.")
    return cannot(go_to(place))


FIND_TEMPLATES = table(
    ATLAS,
    "find",
    row(
        "atlas.find_phone",
        _draw_phone,
        _phone,
        'What is the phone number of the "{{place}}"?',
        'Tell me the phone number of the "{{place}}".',
        'Which number do I call to reach the "{{place}}"?',
        'Look up the phone of the "{{place}}".',
    ),
    row(
        "atlas.find_address",
        draw_place,
        _address,
        'At which number and street is the "{{place}}"?',
        'What is the address of the "{{place}}", without the town?',
        'Tell me the house number and the street of the "{{place}}".',
    ),
    row(
        "atlas.find_coordinates",
        draw_place,
        _coordinates,
        'What are the coordinates of the "{{place}}"?',
        'Tell me the coordinates of the "{{place}}".',
        'Where is the "{{place}}"? Tell me its coordinates.',
    ),
    row(
        "atlas.find_hours",
        _draw_hours,
        _hours,
        'At what time does the "{{place}}" {{moment}}?',
        'When does the "{{place}}" {{moment}}?',
        'Tell me the time at which the "{{place}}" will {{moment}}.',
    ),
    row(
        "atlas.find_closed_day",
        draw_place,
        tell_field("{0.closed_on}", place_of, go_to),
        'On which day is the "{{place}}" closed?',
        'Which day of the week should I not go to the "{{place}}"?',
        'Tell me the day on which the "{{place}}" does not open.',
        is_held_out=True,
    ),
    row(
        "atlas.find_reviewer",
        _draw_stars,
        _reviewer,
        'Who gave the "{{place}}" {{stars}} stars?',
        'Which person reviewed the "{{place}}" with {{stars}} stars?',
        'Find the name of the reviewer who gave {{stars}} stars to "{{place}}".',
    ),
    row(
        "atlas.find_stars",
        _draw_reviewer,
        _stars,
        'How many stars did {{person}} give the "{{place}}"?',
        'Look at the reviews of "{{place}}": how many stars are from {{person}}?',
        'Tell me the number of stars {{person}} gave to "{{place}}".',
        is_held_out=True,
    ),
    row(
        "atlas.find_town_fact",
        draw_one("fact", TOWN_FACTS, after=draw_town),
        _town_fact,
        "What is the {{fact}} of {{town}}?",
        "Tell me the {{fact}} of {{town}}.",
        "Look up the town {{town}}: what is its {{fact}}?",
    ),
    row(
        "atlas.missing_place",
        _draw_missing,
        _missing,
        'What is the phone number of the "{{place}}"?',
        'At what time does the "{{place}}" open?',
        'At which number and street is the "{{place}}"?',
        'Save the "{{place}}" in my list Holiday.',
        kind="impossible",
    ),
    row(
        "atlas.no_phone",
        _draw_without_phone,
        _without_phone,
        'What is the phone number of the "{{place}}"?',
        'Tell me the phone number of the "{{place}}".',
        'Which number do I call to reach the "{{place}}"?',
        kind="impossible",
    ),
)
