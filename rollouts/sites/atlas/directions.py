"""A route in words: distances, times and the steps of the way."""

from __future__ import annotations

import math

from rollouts.sites.atlas import data
from rollouts.sites.atlas.data import Place
from rollouts.sites.atlas.streets import Leg, Point, Route

COMPASS = ("east", "north", "west", "south")
BY = {"car": "by car", "bike": "by bike", "foot": "on foot"}


class NoRoute(ValueError):
    """There is no way; the text says why."""


def plan_route(start: Place, end: Place, mode: str) -> Route:
    """The shortest way; raises NoRoute."""
    if start == end:
        raise NoRoute("Start and end are the same place.")
    if start.town != end.town:
        raise NoRoute(
            "These places are in different towns. Directions stay within one town."
        )
    route = data.TOWNS[start.town].streets.find_route(start.spot, end.spot, mode)
    if route is None:
        place = end if mode in start.spot.edge.modes else start
        raise NoRoute(f"No way {BY[mode]}: {place.name} is in a car-free street.")
    if not route.legs:
        raise NoRoute("These places are next to each other.")
    return route


def format_distance(metres: int) -> str:
    """850 -> "850 m", 1240 -> "1.24 km"."""
    return f"{metres} m" if metres < 1000 else f"{metres / 1000:.2f} km"


def describe(route: Route, end: Place) -> list[str]:
    """What to do, street by street."""
    first = route.legs[0]
    steps = [
        f"Go {_heading(first)} on {first.street} for {format_distance(first.metres)}"
    ]
    for before, leg in zip(route.legs, route.legs[1:], strict=False):
        metres = format_distance(leg.metres)
        steps.append(f"{_turn(before, leg)} {leg.street} for {metres}")
    return [*steps, f"Arrive at {end.name}"]


def _angle(start: Point, end: Point) -> float:
    return math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))


def _heading(leg: Leg) -> str:
    return COMPASS[round(_angle(leg.points[0], leg.points[-1]) / 90) % 4]


def _turn(before: Leg, leg: Leg) -> str:
    """By the last piece of the street before and the first of the next."""
    angle = _angle(*leg.points[:2]) - _angle(*before.points[-2:])
    angle = (angle + 180) % 360 - 180
    if abs(angle) < 30:
        return "Go on along"
    return "Turn left into" if angle > 0 else "Turn right into"
