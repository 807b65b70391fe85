"""A town's streets as a small graph, and the shortest way through it."""

from __future__ import annotations

import dataclasses
import heapq
import math
import random
from collections.abc import Sequence

from rollouts.sites.kit.vocabulary import STREETS, words

Point = tuple[int, int]

WORDS = [*STREETS, *words("Bridge Castle Garden School")]
PATHS = ("Forest Path", "Meadow Path", "Sunny Path")
SIDE = 6  # crossings in a row and in a column
SPACING = 300  # metres
JITTER = 60
CAR_FREE_COUNT = 5
BRIDGE_COUNT = 3
# Metres per minute.
SPEEDS = {"car": 500, "bike": 250, "foot": 80}
ALL = frozenset(SPEEDS)
WITHOUT_CAR = ALL - {"car"}


@dataclasses.dataclass(frozen=True, slots=True)
class Edge:
    """A piece of street between two crossings; length in metres."""

    street: str
    start: int
    end: int
    length: int
    modes: frozenset[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Spot:
    """A place on a piece of street, so many metres from its start."""

    edge: Edge
    offset: int


@dataclasses.dataclass(frozen=True, slots=True)
class Leg:
    """A part of a route along one street: the crossings on it, its metres."""

    street: str
    points: tuple[Point, ...]
    metres: int


@dataclasses.dataclass(frozen=True)
class Route:
    """The shortest way from one spot to another."""

    mode: str
    legs: Sequence[Leg]

    @property
    def metres(self) -> int:
        """The whole length."""
        return sum(leg.metres for leg in self.legs)

    @property
    def minutes(self) -> int:
        """The time, rounded up."""
        return max(1, -(-self.metres // SPEEDS[self.mode]))

    @property
    def points(self) -> list[Point]:
        """The line to draw."""
        return [point for leg in self.legs for point in leg.points]


@dataclasses.dataclass(frozen=True)
class Streets:
    """All streets of a town: crossings, pieces of street, the river's row."""

    nodes: Sequence[Point]
    edges: Sequence[Edge]
    river: int

    def point(self, spot: Spot) -> Point:
        """Where a spot is, in metres east and north of the town's corner."""
        (ax, ay), (bx, by) = self.nodes[spot.edge.start], self.nodes[spot.edge.end]
        share = spot.offset / spot.edge.length
        return round(ax + (bx - ax) * share), round(ay + (by - ay) * share)

    def ways(self, mode: str) -> dict[int, list[tuple[int, Edge]]]:
        """From each crossing to its neighbours."""
        ways: dict[int, list[tuple[int, Edge]]] = {
            n: [] for n in range(len(self.nodes))
        }
        for edge in self.edges:
            if mode in edge.modes:
                ways[edge.start].append((edge.end, edge))
                ways[edge.end].append((edge.start, edge))
        return ways

    def find_route(self, start: Spot, end: Spot, mode: str) -> Route | None:
        """Dijkstra's shortest way; None where this mode cannot go."""
        if mode not in start.edge.modes or mode not in end.edge.modes:
            return None
        if start.edge == end.edge:
            metres = abs(start.offset - end.offset)
            return self._route(
                mode, [(self.point(start), start.edge.street, metres)], end
            )
        goals = {end.edge.start: end.offset, end.edge.end: end.edge.length - end.offset}
        trail = self._trail(start, goals, mode)
        here, parts = self.point(start), []
        for street, metres, node in trail:
            parts.append((here, street, metres))
            if node is not None:
                here = self.nodes[node]
        return self._route(mode, parts, end)

    def _trail(
        self, start: Spot, goals: dict[int, int], mode: str
    ) -> list[tuple[str, int, int | None]]:
        """Street, metres and the crossing it leads to, piece by piece."""
        ways, edge = self.ways(mode), start.edge
        first = {edge.start: start.offset, edge.end: edge.length - start.offset}
        best = dict(first)
        came: dict[int, tuple[int, Edge]] = {}
        queue = [(metres, node) for node, metres in first.items()]
        heapq.heapify(queue)
        while queue:
            metres, node = heapq.heappop(queue)
            for other, way in ways[node]:
                if metres + way.length < best.get(other, math.inf):
                    best[other] = metres + way.length
                    came[other] = (node, way)
                    heapq.heappush(queue, (best[other], other))
        last = min(goals, key=lambda node: (best[node] + goals[node], node))
        trail: list[tuple[str, int, int | None]] = []
        node = last
        while node in came:
            before, way = came[node]
            trail.append((way.street, way.length, node))
            node = before
        trail.append((edge.street, first[node], node))
        return [*reversed(trail), ("", goals[last], None)]

    def _route(
        self, mode: str, parts: list[tuple[Point, str, int]], end: Spot
    ) -> Route:
        starts = [point for point, _, _ in parts[1:]]
        stops = [*starts, self.point(end)]
        legs: list[Leg] = []
        for (point, street, metres), stop in zip(parts, stops, strict=True):
            name = street or end.edge.street
            points: tuple[Point, ...] = (point, stop)
            if legs and legs[-1].street == name:
                last = legs.pop()
                points, metres = (*last.points, stop), last.metres + metres
            if metres:
                legs.append(Leg(name, points, metres))
        return Route(mode, legs)


def measure(one: Point, other: Point) -> int:
    """Metres in a straight line, rounded to tens."""
    return round(math.dist(one, other) / 10) * 10


def lay_out(rng: random.Random) -> Streets:
    """A new town: a crooked grid, a river with bridges, car-free pieces, paths."""
    names = rng.sample(WORDS, len(WORDS))
    steps = range(-JITTER, JITTER + 1, 10)
    nodes = [
        (column * SPACING + rng.choice(steps), row * SPACING + rng.choice(steps))
        for row in range(SIDE)
        for column in range(SIDE)
    ]
    river = rng.randint(1, SIDE - 3)
    bridges = rng.sample(range(SIDE), BRIDGE_COUNT)
    edges = []
    for row in range(SIDE):
        for column in range(SIDE):
            node = row * SIDE + column
            if column < SIDE - 1:
                edges.append(_edge(nodes, f"{names[row]} Street", node, node + 1))
            if row < SIDE - 1 and (row != river or column in bridges):
                road = f"{names[SIDE + column]} Road"
                edges.append(_edge(nodes, road, node, node + SIDE))
    edges = _close_some(nodes, edges, rng)
    rows = [row for row in range(SIDE - 1) if row != river]
    for path, row in zip(PATHS, rng.sample(rows, len(PATHS)), strict=True):
        node = row * SIDE + rng.randrange(SIDE - 1)
        edges.append(_edge(nodes, path, node, node + SIDE + 1, WITHOUT_CAR))
    return Streets(nodes, edges, river)


def _edge(
    nodes: Sequence[Point],
    street: str,
    start: int,
    end: int,
    modes: frozenset[str] = ALL,
) -> Edge:
    return Edge(street, start, end, measure(nodes[start], nodes[end]), modes)


def _close_some(
    nodes: Sequence[Point], edges: list[Edge], rng: random.Random
) -> list[Edge]:
    """Choose pieces without cars, such that cars still reach every crossing."""
    edges, closed = list(edges), 0
    while closed < CAR_FREE_COUNT:
        index = rng.randrange(len(edges))
        tried = list(edges)
        tried[index] = dataclasses.replace(edges[index], modes=WITHOUT_CAR)
        if tried[index] != edges[index] and _is_whole(Streets(nodes, tried, 0)):
            edges, closed = tried, closed + 1
    return edges


def _is_whole(streets: Streets) -> bool:
    ways, seen, waiting = streets.ways("car"), {0}, [0]
    while waiting:
        for other, _ in ways[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return len(seen) == len(streets.nodes)
