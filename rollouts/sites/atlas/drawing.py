"""The map as a picture: what the SVG templates draw, in metres, north upwards."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from rollouts.sites.atlas.data import POSITIONS, REGIONS, Place, Town
from rollouts.sites.atlas.streets import ALL, SIDE, SPACING, Edge, Point, Route, Streets

WIDTHS = (2100, 1200, 700, 400)  # metres across, by zoom
HEIGHT = 0.86  # of the width
LETTERS = "ABCDEFGH"
CITY_SPACING = 14  # of the overview, in its own unit


@dataclasses.dataclass(frozen=True)
class View:
    """The visible part of a town: its middle and its extent."""

    center: Point
    width: int

    @property
    def height(self) -> int:
        """Metres from bottom to top."""
        return round(self.width * HEIGHT)

    @property
    def box(self) -> str:
        """The SVG's viewBox."""
        left, top = self.center[0] - self.width // 2, -self.center[1] - self.height // 2
        return f"{left} {top} {self.width} {self.height}"

    def holds(self, point: Point) -> bool:
        """Whether the point is visible."""
        across, up = point[0] - self.center[0], point[1] - self.center[1]
        return abs(across) * 2 <= self.width and abs(up) * 2 <= self.height


@dataclasses.dataclass(frozen=True)
class Label:
    """A street's name on the map."""

    text: str
    x: int
    y: int
    angle: float

    @property
    def is_path(self) -> bool:
        """Footpaths are thin: their names are next to them."""
        return self.text.endswith("Path")


@dataclasses.dataclass(frozen=True)
class Marker:
    """A place on the map; y grows downwards."""

    letter: str
    name: str
    slug: str
    x: int
    y: int


@dataclasses.dataclass(frozen=True)
class Drawing:
    """All that `_map.html` draws; `routes` holds a line for each way to travel."""

    town: str
    view: View
    streets: str
    car_free: str
    paths: str
    parks: Sequence[str]
    river: str
    labels: Sequence[Label]
    markers: Sequence[Marker]
    routes: dict[str, str]

    @property
    def unit(self) -> float:
        """Metres that are about as wide as one hundredth of the picture."""
        return self.view.width / 100

    @property
    def name_size(self) -> float:
        """Height of street names: readable from afar, no wider than a street."""
        return min(max(self.unit * 1.75, 13), 27)


def draw_town(
    town: Town,
    view: View,
    places: Sequence[Place] = (),
    routes: Sequence[Route] = (),
) -> Drawing:
    """The streets of a town with markers and routes."""
    streets = town.streets
    paths = [edge for edge in streets.edges if edge.street.endswith("Path")]
    return Drawing(
        town=town.name,
        view=view,
        streets=_lines(streets, [e for e in streets.edges if e.modes == ALL]),
        car_free=_lines(
            streets, [e for e in streets.edges if e.modes != ALL and e not in paths]
        ),
        paths=_lines(streets, paths),
        parks=[_park(streets, edge) for edge in paths],
        river=_river(streets),
        labels=_labels(streets),
        markers=[
            Marker(letter, place.name, place.slug, place.point[0], -place.point[1])
            for letter, place in zip(LETTERS, places, strict=False)
        ],
        routes={route.mode: _polyline(route.points) for route in routes},
    )


def whole_town(town: Town) -> View:
    """The view that shows every street."""
    return View(town.center, WIDTHS[0])


def fit(points: Sequence[Point]) -> View:
    """The view that shows all the points, never too close."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    width = max(max(xs) - min(xs), (max(ys) - min(ys)) / HEIGHT) * 1.3
    center = (max(xs) + min(xs)) // 2, (max(ys) + min(ys)) // 2
    return View(center, max(round(width), WIDTHS[2]))


def _lines(streets: Streets, edges: Sequence[Edge]) -> str:
    pairs = [(streets.nodes[edge.start], streets.nodes[edge.end]) for edge in edges]
    return "".join(f"M{a[0]} {-a[1]}L{b[0]} {-b[1]}" for a, b in pairs)


def _polyline(points: Sequence[Point]) -> str:
    return " ".join(f"{x},{-y}" for x, y in points)


def _park(streets: Streets, edge: Edge) -> str:
    """The block that a footpath crosses."""
    first = edge.start
    corners = (first, first + 1, first + SIDE + 1, first + SIDE)
    return _polyline([streets.nodes[corner] for corner in corners])


def _river(streets: Streets) -> str:
    """A line halfway between two rows of crossings, from edge to edge."""
    row = streets.river * SIDE
    points = [
        (
            (streets.nodes[row + column][0] + streets.nodes[row + SIDE + column][0])
            // 2,
            (streets.nodes[row + column][1] + streets.nodes[row + SIDE + column][1])
            // 2,
        )
        for column in range(SIDE)
    ]
    ends = [(-4 * SPACING, points[0][1] - 80), (9 * SPACING, points[-1][1] + 80)]
    return _polyline([ends[0], *points, ends[1]])


def _labels(streets: Streets) -> list[Label]:
    """Each name once in every view: on two of its pieces, streets and roads apart."""
    named: dict[str, list[Edge]] = {}
    for edge in streets.edges:
        named.setdefault(edge.street, []).append(edge)
    labels = []
    for number, (name, edges) in enumerate(named.items()):
        chosen = {number % len(edges), (number + 3) % len(edges)}
        labels += [_label(streets, name, edges[index]) for index in sorted(chosen)]
    return labels


def _label(streets: Streets, name: str, edge: Edge) -> Label:
    (ax, ay), (bx, by) = streets.nodes[edge.start], streets.nodes[edge.end]
    angle = -math.degrees(math.atan2(by - ay, bx - ax))
    angle = angle + 180 if angle < -90 else angle
    return Label(name, (ax + bx) // 2, -(ay + by) // 2, round(angle, 1))


@dataclasses.dataclass(frozen=True)
class City:
    """A town on the overview."""

    name: str
    x: int
    y: int


def draw_regions() -> dict[str, list[City]]:
    """Each region with its towns, for the overview."""
    return {
        region: [_city(town) for town in towns] for region, towns in REGIONS.items()
    }


def _city(town: str) -> City:
    north, east = POSITIONS[town]
    return City(town, round(east * CITY_SPACING), round(-north * CITY_SPACING * 1.5))
