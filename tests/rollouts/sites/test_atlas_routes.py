from __future__ import annotations

import itertools

import pytest

from rollouts.sites.atlas import data
from rollouts.sites.atlas.directions import (
    NoRoute,
    describe,
    format_distance,
    plan_route,
)
from rollouts.sites.atlas.search import (
    EXAMPLE,
    arrange,
    find,
    find_one,
    format_time,
    from_center,
    parse_time,
    suggest,
)
from rollouts.sites.atlas.streets import SPEEDS, Edge, Spot, Streets, measure

PLACE, OTHER = (p for p in data.BY_TOWN["Oslo"][:2])
FAR = data.BY_TOWN["Rome"][0]
CAR_FREE = next(p for p in data.PLACES.values() if "car" not in p.spot.edge.modes)


def test_suggestions_are_towns_and_places() -> None:
    assert suggest("osl") == [("Oslo", "/town/oslo")]
    assert suggest(" ") == []
    assert suggest(PLACE.name) == [(f"{PLACE.name}, Oslo", f"/place/{PLACE.slug}")]
    assert len(suggest("cafe")) == 5


def test_suggestions_that_begin_with_what_is_typed_come_first() -> None:
    assert "Golden" in {place.name.split()[0] for place in data.PLACES.values()}
    assert all(name.startswith("Old ") for name, _ in suggest("old"))


def test_the_example_that_people_are_shown_finds_places() -> None:
    assert {place.category for place in find(EXAMPLE, "Rome").places} == {"Cafe"}


def test_words_find_places_by_name_category_street_and_town() -> None:
    assert [p.name for p in find(PLACE.name, "Rome").places] == [PLACE.name]
    cafes = find("cafes in Oslo", "Rome").places
    assert {(p.category, p.town) for p in cafes} == {("Cafe", "Oslo")}
    assert PLACE in find(f"{PLACE.address}, Oslo", "Rome").places
    assert [town.name for town in find("oslo", "Rome").towns] == ["Oslo"]


def test_near_orders_by_distance_in_the_same_town() -> None:
    found = find(f"Hotel near {PLACE.name}", "Rome")
    rows = arrange(found.places, "nearest", None, found.distance)
    metres = [row.metres for row in rows]
    assert metres == sorted(measure(p.point, PLACE.point) for p in found.places)
    assert {row.place.town for row in rows} == {"Oslo"}
    assert {row.place.category for row in rows} == {"Hotel"}


def test_near_a_town_is_near_its_middle() -> None:
    found = find("hotel near oslo", "Rome")
    assert found.heading == "Hotels near Oslo"
    assert found.distance is from_center


def test_near_a_street_is_near_any_part_of_it() -> None:
    found = find(f"{PLACE.category} near {PLACE.street}", "Oslo")
    assert found.distance is not None
    assert PLACE in found.places
    assert found.distance(PLACE) <= 10


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "Write what you look for."),
        ("near Oslo", "Write a category"),
        ("moon near Oslo", "Write a category"),
        ("cafe near", "No place or street"),
        ("cafe near moon street", "No place or street in Rome"),
    ],
)
def test_a_search_that_cannot_be_understood_says_why(query: str, problem: str) -> None:
    assert find(query, "Rome").problem.startswith(problem)


def test_places_can_be_ordered_and_kept_by_time() -> None:
    places = find("cafe in Oslo", "Rome").places
    best = arrange(places, "rating", None, None)[0].place
    assert best.rating == max(place.rating for place in places)
    late = arrange(places, "name", 22 * 60, None)
    assert [row.place for row in late] == [p for p in places if p.closes > 22]


def test_a_field_takes_the_only_place_that_fits() -> None:
    assert find_one(PLACE.name.upper()) == (PLACE, "")
    assert find_one(f"{PLACE.name} Oslo")[0] == PLACE
    assert find_one("lion")[0] is None


@pytest.mark.parametrize("text", ["", "24:00", "9:30", "12:60", "12.30", "٠٩:30"])
def test_odd_times_are_refused(text: str) -> None:
    assert parse_time(text) is None


def test_times_and_distances_are_written_for_people() -> None:
    assert format_time(parse_time("23:50") or 0) == "23:50"
    assert format_time(24 * 60 + 5) == "00:05"
    assert (format_distance(990), format_distance(1240)) == ("990 m", "1.24 km")


def square() -> Streets:
    """Four crossings, 100 m apart; no car between the first two, a footpath across."""
    nodes = [(0, 0), (100, 0), (0, 100), (100, 100)]
    every, slow = frozenset(SPEEDS), frozenset({"bike", "foot"})
    edges = [
        Edge("South Street", 0, 1, 100, slow),
        Edge("North Street", 2, 3, 100, every),
        Edge("West Road", 0, 2, 100, every),
        Edge("East Road", 1, 3, 100, every),
    ]
    return Streets(nodes, edges, 0)


def test_the_shortest_way_depends_on_how_one_travels() -> None:
    town = square()
    start, end = Spot(town.edges[2], 10), Spot(town.edges[3], 10)
    foot, car = (town.find_route(start, end, mode) for mode in ("foot", "car"))
    assert foot is not None
    assert car is not None
    assert [(leg.street, leg.metres) for leg in foot.legs] == [
        ("West Road", 10),
        ("South Street", 100),
        ("East Road", 10),
    ]
    assert [leg.street for leg in car.legs] == [
        "West Road",
        "North Street",
        "East Road",
    ]
    assert (foot.metres, car.metres) == (120, 280)
    assert (foot.minutes, car.minutes) == (2, 1)


def test_there_is_no_way_by_car_into_a_car_free_street() -> None:
    town = square()
    start, end = Spot(town.edges[2], 10), Spot(town.edges[0], 50)
    assert town.find_route(start, end, "car") is None
    assert town.find_route(start, end, "bike") is not None


def test_a_way_along_one_street_has_one_leg() -> None:
    town = square()
    start, end = Spot(town.edges[2], 20), Spot(town.edges[2], 90)
    route = town.find_route(start, end, "car")
    assert route is not None
    assert [(leg.street, leg.metres) for leg in route.legs] == [("West Road", 70)]


def test_a_way_back_is_as_long() -> None:
    oslo = data.BY_TOWN["Oslo"][::20]
    for one, other in itertools.combinations(oslo, 2):
        there, back = (
            plan_route(a, b, "foot") for a, b in ((one, other), (other, one))
        )
        assert there.metres == back.metres >= measure(one.point, other.point) * 0.9


def test_the_way_is_told_street_by_street() -> None:
    route = plan_route(PLACE, OTHER, "foot")
    first, *_, last = describe(route, OTHER)
    assert first.startswith("Go ")
    assert PLACE.street in first
    assert last == f"Arrive at {OTHER.name}"
    assert len(describe(route, OTHER)) == len(route.legs) + 1


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        (PLACE, PLACE, "the same place"),
        (PLACE, FAR, "different towns"),
        (CAR_FREE, data.BY_TOWN[CAR_FREE.town][5], f"by car: {CAR_FREE.name}"),
    ],
)
def test_no_way_is_explained(start: data.Place, end: data.Place, reason: str) -> None:
    with pytest.raises(NoRoute, match=reason):
        plan_route(start, end, "car")
