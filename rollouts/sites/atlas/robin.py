"""What Robin and others have left on the map before an episode begins."""

from __future__ import annotations

import dataclasses
import random

from rollouts.sites.atlas.data import BY_TOWN, PLACES, Place
from rollouts.sites.atlas.streets import SPEEDS
from rollouts.sites.kit.vocabulary import DATA_SEED, MONTHS, PEOPLE, slugify

MODES = {"car": "Car", "bike": "Bike", "foot": "Foot"}
LISTS = ("Favorites", "Holiday", "Work", "Family")
PLACES_PER_LIST = 6
ROUTE_COUNT = 12
NOTE_COUNT = 24
PROBLEMS = ("Closed for good", "Wrong hours", "Wrong address", "Wrong phone")
NOTE_TEXTS = (
    "The door was locked",
    "A sign says so",
    "I asked at the desk",
    "Nobody was there",
    "I went twice",
    "Please look again",
)
SETTINGS = {"town": "London", "mode": "car"}


@dataclasses.dataclass(frozen=True, slots=True)
class Note:
    """What somebody says is wrong with a place."""

    number: int
    place: str
    author: str
    day: str
    problem: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class SavedRoute:
    """Slugs of two places of a town, and how to go."""

    start: str
    end: str
    mode: str

    @property
    def key(self) -> str:
        """How the change set calls it."""
        return f"{self.start}/{self.end}/{self.mode}"

    @property
    def name(self) -> str:
        """How pages call it."""
        start, end = PLACES[self.start].name, PLACES[self.end].name
        return f"{start} to {end}"


def _lists(rng: random.Random) -> dict[str, tuple[str, ...]]:
    chosen = rng.sample(list(PLACES), PLACES_PER_LIST * len(LISTS))
    size = PLACES_PER_LIST
    return {
        slugify(name): tuple(sorted(chosen[index * size : (index + 1) * size]))
        for index, name in enumerate(LISTS)
    }


def _routes(rng: random.Random) -> dict[str, SavedRoute]:
    routes = []
    for index in range(ROUTE_COUNT):
        town = rng.choice(list(BY_TOWN))
        start, end = rng.sample([p for p in BY_TOWN[town] if _has_cars(p)], 2)
        mode = list(SPEEDS)[index % len(SPEEDS)]
        routes.append(SavedRoute(start.slug, end.slug, mode))
    return {route.key: route for route in routes}


def _has_cars(place: Place) -> bool:
    return "car" in place.spot.edge.modes


def _notes(rng: random.Random) -> dict[int, Note]:
    """The newest has the highest number."""
    places = rng.sample(list(PLACES), NOTE_COUNT)
    notes = [
        Note(
            number=number,
            place=place,
            author=rng.choice(PEOPLE),
            day=f"{(number - 1) % 4 * 7 + 2} {MONTHS[(number - 1) // 4]}",
            problem=rng.choice(PROBLEMS),
            text=rng.choice(NOTE_TEXTS),
        )
        for number, place in enumerate(places, 1)
    ]
    return {note.number: note for note in reversed(notes)}


_rng = random.Random(f"{DATA_SEED}/robin")
LIST_NAMES = {slugify(name): name for name in LISTS}
SAVED = _lists(_rng)
ROUTES = _routes(_rng)
NOTES = _notes(_rng)
NOTE_BY_PLACE = {note.place: note for note in NOTES.values()}
