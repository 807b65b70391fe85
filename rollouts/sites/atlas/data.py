"""Towns, streets and places of the map: generated once, never changed."""

from __future__ import annotations

import dataclasses
import random

from rollouts.sites.atlas.streets import Edge, Point, Spot, Streets, lay_out
from rollouts.sites.kit.vocabulary import CITIES, DATA_SEED, PEOPLE, slugify, words

ADJECTIVES = words(
    "Red Blue Green White Black Golden Silver Old New Little Happy Royal Quiet Grand"
)
NOUNS = words("Lion Swan Star Crown Anchor Bell Fox Rose Ship Moon Sun Wolf Bear Eagle")
# Category -> plural.
CATEGORIES = {
    "Bakery": "Bakeries",
    "Bank": "Banks",
    "Bar": "Bars",
    "Bookshop": "Bookshops",
    "Cafe": "Cafes",
    "Cinema": "Cinemas",
    "Gym": "Gyms",
    "Hotel": "Hotels",
    "Library": "Libraries",
    "Museum": "Museums",
    "Pharmacy": "Pharmacies",
    "Restaurant": "Restaurants",
}
# Region -> its towns; each town with degrees north and degrees east.
REGIONS = {
    "North": ("Oslo", "Dublin", "London"),
    "East": ("Warsaw", "Berlin", "Prague"),
    "South": ("Athens", "Rome", "Vienna"),
    "West": ("Paris", "Madrid", "Lisbon"),
}
POSITIONS = {
    "Athens": (37.98, 23.73),
    "Berlin": (52.52, 13.40),
    "Dublin": (53.34, -6.26),
    "Lisbon": (38.72, -9.14),
    "London": (51.50, -0.12),
    "Madrid": (40.41, -3.70),
    "Oslo": (59.91, 10.75),
    "Paris": (48.85, 2.35),
    "Prague": (50.07, 14.43),
    "Rome": (41.90, 12.49),
    "Vienna": (48.20, 16.37),
    "Warsaw": (52.22, 21.01),
}
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
PLACES_PER_CATEGORY = 14  # in one town
MISSING_CATEGORIES = 2  # that one town lacks
REVIEW_TEXTS = (
    "Kind people and good light",
    "Too loud for me",
    "Clean and easy to find",
    "I will come again",
    "Better than the old one",
    "Not worth the way",
    "My family loves it",
    "A long wait at the door",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Review:
    """What a visitor thinks of a place; stars 1 to 5."""

    author: str
    stars: int
    text: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Somewhere to go, once. Hours are whole; `phone` is "" where it has none."""

    slug: str
    name: str
    category: str
    town: str
    number: int
    spot: Spot
    point: Point
    rating: float
    opens: int
    closes: int
    closed_on: str
    phone: str
    reviews: tuple[Review, ...]

    @property
    def street(self) -> str:
        """The street it is in."""
        return self.spot.edge.street

    @property
    def address(self) -> str:
        """Number and street."""
        return f"{self.number} {self.street}"


@dataclasses.dataclass(frozen=True, slots=True)
class Town:
    """A town with its streets; `missing` are the categories that it lacks."""

    slug: str
    name: str
    region: str
    population: int
    founded: int
    postcode: int
    missing: tuple[str, ...]
    streets: Streets

    @property
    def center(self) -> Point:
        """The middle of its crossings."""
        nodes = self.streets.nodes
        east, north = sum(x for x, _ in nodes), sum(y for _, y in nodes)
        return round(east / len(nodes)), round(north / len(nodes))

    @property
    def categories(self) -> list[str]:
        """What there is to find."""
        return [name for name in CATEGORIES if name not in self.missing]


def format_coordinates(town: str, point: Point) -> str:
    """Degrees with letters: "51.5032 N, 0.1187 W"."""
    north, east = POSITIONS[town]
    north, east = north + point[1] / 111_320, east + point[0] / 70_000
    return f"{north:.4f} N, {abs(east):.4f} {'E' if east >= 0 else 'W'}"


def _towns(rng: random.Random) -> dict[str, Town]:
    names = sorted(CITIES)
    populations = rng.sample(range(40_000, 900_000, 500), len(names))
    founded = rng.sample(range(1050, 1850), len(names))
    postcodes = rng.sample(range(1000, 9900, 100), len(names))
    regions = {town: region for region, towns in REGIONS.items() for town in towns}
    kinds = list(CATEGORIES)
    towns = {}
    for index, name in enumerate(names):
        first = index * MISSING_CATEGORIES % len(kinds)
        towns[name] = Town(
            slug=slugify(name),
            name=name,
            region=regions[name],
            population=populations[index],
            founded=founded[index],
            postcode=postcodes[index],
            missing=tuple(kinds[first : first + MISSING_CATEGORIES]),
            streets=lay_out(rng),
        )
    return towns


def _names(rng: random.Random) -> dict[str, list[str]]:
    """For each category as many names as it has places, none twice."""
    pairs = [f"{adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS]
    count = PLACES_PER_CATEGORY * (len(CITIES) - MISSING_CATEGORIES)
    return {
        category: [f"{pair} {category}" for pair in rng.sample(pairs, count)]
        for category in CATEGORIES
    }


def _address(town: Town, taken: set[str], rng: random.Random) -> tuple[Spot, int]:
    """A free spot in a street that has a number, never on a footpath."""
    streets = [edge for edge in town.streets.edges if not edge.street.endswith("Path")]
    while True:
        edge = rng.choice(streets)
        offset = rng.randrange(20, edge.length - 10, 10)
        number = _along(edge) * 22 + offset // 20
        if f"{number} {edge.street}" not in taken:
            taken.add(f"{number} {edge.street}")
            return Spot(edge, offset), number


def _along(edge: Edge) -> int:
    """How many pieces of its street come before this one."""
    is_road = edge.end - edge.start > 1
    return edge.start // 6 if is_road else edge.start % 6


def _reviews(rng: random.Random) -> tuple[Review, ...]:
    count = rng.randint(2, 3)
    authors = rng.sample(PEOPLE, count)
    stars = rng.sample(range(1, 6), count)
    texts = rng.sample(REVIEW_TEXTS, count)
    return tuple(map(Review, authors, stars, texts))


def _places(towns: dict[str, Town], rng: random.Random) -> dict[str, Place]:
    names = _names(rng)
    phones = rng.sample(range(1000, 10_000), 2000)
    places = []
    for town in towns.values():
        taken: set[str] = set()
        for category in town.categories:
            ratings = rng.sample(range(20, 50), PLACES_PER_CATEGORY)
            for rating in ratings:
                spot, number = _address(town, taken, rng)
                name, phone = names[category].pop(), f"555 {phones.pop()}"
                places.append(
                    Place(
                        slug=slugify(name),
                        name=name,
                        category=category,
                        town=town.name,
                        number=number,
                        spot=spot,
                        point=town.streets.point(spot),
                        rating=rating / 10,
                        opens=rng.randint(7, 11),
                        closes=rng.randint(17, 23),
                        closed_on=rng.choice(DAYS),
                        phone="" if rng.random() < 0.1 else phone,
                        reviews=_reviews(rng),
                    )
                )
    return {place.slug: place for place in sorted(places, key=lambda p: p.name)}


_rng = random.Random(DATA_SEED)
TOWNS = _towns(_rng)
PLACES = _places(TOWNS, _rng)
TOWN_BY_SLUG = {town.slug: town for town in TOWNS.values()}
PLACE_BY_NAME = {place.name: place for place in PLACES.values()}
BY_TOWN = {
    name: [place for place in PLACES.values() if place.town == name] for name in TOWNS
}
CATEGORY_BY_SLUG = {slugify(category): category for category in CATEGORIES}
REGION_BY_SLUG = {slugify(region): region for region in REGIONS}
