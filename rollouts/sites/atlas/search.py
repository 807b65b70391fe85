"""What a person finds by typing: places by words, by category, or near something."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence

from rollouts.sites.atlas import data
from rollouts.sites.atlas.data import Place, Town
from rollouts.sites.atlas.streets import Point, measure

# What a person may type; the start page shows it.
EXAMPLE = "Cafe near Lake Street, Oslo"
SORTS = {"name": "Name", "nearest": "Nearest", "rating": "Best rated"}
FILLERS = frozenset(("in", "on", "at", "of", "the"))
TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
SUGGESTIONS = 5
CATEGORY_BY_WORD = {
    word.lower(): category
    for category, plural in data.CATEGORIES.items()
    for word in (category, plural)
}
Distance = Callable[[Place], int]


@dataclasses.dataclass(frozen=True)
class Row:
    """A place in a list; `metres` is None where no distance is shown."""

    place: Place
    metres: int | None = None


@dataclasses.dataclass(frozen=True)
class Found:
    """What a search has found.

    Attributes:
        heading: What the list holds.
        places: In the order of their names.
        towns: Towns that the words name.
        distance: Metres from what the search was near; None for other searches.
        problem: Why the search cannot be understood.
    """

    heading: str
    places: Sequence[Place] = ()
    towns: Sequence[Town] = ()
    distance: Distance | None = None
    problem: str = ""


def parse_time(text: str) -> int | None:
    """Minutes after midnight of "14:30"; None for anything else."""
    match = TIME.fullmatch(text)
    return int(match[1]) * 60 + int(match[2]) if match else None


def format_time(minutes: int) -> str:
    """870 -> "14:30"; midnight begins again."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def is_open(place: Place, minutes: int) -> bool:
    """Whether the place is open at this time of a day on which it opens."""
    return place.opens * 60 <= minutes < place.closes * 60


def from_center(place: Place) -> int:
    """Metres to the middle of the town."""
    return measure(place.point, data.TOWNS[place.town].center)


def arrange(
    places: Sequence[Place], sort: str, open_at: int | None, distance: Distance | None
) -> list[Row]:
    """The places that are open then, in order, with distances where they matter."""
    kept = [p for p in places if open_at is None or is_open(p, open_at)]
    if sort == "nearest":
        measured = distance or from_center
        kept.sort(key=lambda place: (measured(place), place.name))
        return [Row(place, measured(place)) for place in kept]
    if sort == "rating":
        kept.sort(key=lambda place: (-place.rating, place.name))
    return [Row(place, distance(place) if distance else None) for place in kept]


def in_category(town: Town, category: str) -> list[Place]:
    """A town's places of one category, by name."""
    return [p for p in data.BY_TOWN[town.name] if p.category == category]


def find(query: str, home: str) -> Found:
    """Places and towns for the words; streets without a town are those of `home`."""
    words = query.replace(",", " ").lower().split()
    if not words:
        return Found("Nothing to look for", problem="Write what you look for.")
    if "near" in words:
        split = words.index("near")
        return _find_near(words[:split], words[split + 1 :], home)
    wanted = {_singular(word) for word in words} - FILLERS
    places = [place for place in data.PLACES.values() if wanted <= _WORDS[place.slug]]
    towns = [town for town in data.TOWNS.values() if wanted == {town.slug}]
    return Found(_count(len(places) + len(towns)), places, towns)


def suggestion(place: Place) -> str:
    """The place's name in the list of suggestions."""
    return f"{place.name}, {place.town}"


def suggest(typed: str) -> list[tuple[str, str]]:
    """Names and addresses of up to five towns and places that contain the typed text.

    Those that begin with it come first.
    """
    typed = " ".join(typed.lower().split())
    if not typed:
        return []
    towns = [t for t in data.TOWNS.values() if t.slug.startswith(typed)]
    places = [p for p in data.PLACES.values() if typed in p.name.lower()]
    places.sort(key=lambda place: not place.name.lower().startswith(typed))
    found = [(town.name, f"/town/{town.slug}") for town in towns]
    found += [(suggestion(p), f"/place/{p.slug}") for p in places[:SUGGESTIONS]]
    return found[:SUGGESTIONS]


def find_one(text: str) -> tuple[Place | None, str]:
    """The one place that a field of a form means, or what is wrong with it."""
    place = _PLACE_BY_WORDS.get(" ".join(text.lower().split()))
    if place is not None:
        return place, ""
    found = find(text, "")
    if len(found.places) == 1:
        return found.places[0], ""
    if found.places:
        return None, f'{len(found.places)} places fit "{text}". Write the whole name.'
    return None, f'No place is called "{text}".'


def _find_near(what: list[str], where: list[str], home: str) -> Found:
    category = CATEGORY_BY_WORD.get(" ".join(what))
    if category is None:
        advice = f'Write a category before "near", like "{EXAMPLE}".'
        return Found("Nothing found", problem=advice)
    origin = _PLACE_BY_WORDS.get(" ".join(where))
    if origin is not None:
        point = origin.point
        near = [p for p in data.BY_TOWN[origin.town] if p != origin]
        return _near(category, origin.name, near, lambda p: measure(p.point, point))
    town = data.TOWN_BY_SLUG.get(where[-1] if where else "")
    if town and len(where) == 1:
        return _near(category, town.name, data.BY_TOWN[town.name], from_center)
    town, street = (town, where[:-1]) if town else (data.TOWNS.get(home), where)
    lines = _lines(town, " ".join(street)) if town else []
    if town is None or not lines:
        name = " ".join(street)
        here = f" in {town.name}" if town else ""
        problem = f'No place or street{here} is called "{name}".'
        return Found("Nothing found", problem=problem)
    name = f"{' '.join(street).title()}, {town.name}"
    return _near(category, name, data.BY_TOWN[town.name], lambda p: _apart(p, lines))


def _near(category: str, name: str, near: list[Place], distance: Distance) -> Found:
    places = [place for place in near if place.category == category]
    return Found(f"{data.CATEGORIES[category]} near {name}", places, (), distance)


def _lines(town: Town, street: str) -> list[tuple[Point, Point]]:
    nodes, edges = town.streets.nodes, town.streets.edges
    pieces = [edge for edge in edges if edge.street.lower() == street]
    return [(nodes[edge.start], nodes[edge.end]) for edge in pieces]


def _apart(place: Place, lines: list[tuple[Point, Point]]) -> int:
    """Metres from a place to the nearest of the lines, rounded to tens."""
    return min(measure(place.point, _foot(place.point, *line)) for line in lines)


def _foot(point: Point, start: Point, end: Point) -> Point:
    """The point of a line that is nearest to a point."""
    (px, py), (ax, ay), (bx, by) = point, start, end
    length = math.dist(start, end) ** 2
    share = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length
    share = min(max(share, 0), 1)
    return round(ax + (bx - ax) * share), round(ay + (by - ay) * share)


def _singular(word: str) -> str:
    return CATEGORY_BY_WORD.get(word, word).lower()


def _count(number: int) -> str:
    return f"{number} found" if number else "Nothing found"


def _words(place: Place) -> frozenset[str]:
    text = f"{place.name} {place.category} {place.address} {place.town}"
    return frozenset(text.lower().split())


_WORDS = {place.slug: _words(place) for place in data.PLACES.values()}
_PLACE_BY_WORDS = {place.name.lower(): place for place in data.PLACES.values()}
