from __future__ import annotations

import itertools
import re

import pytest

from rollouts.browser.evaluators.rule_sets import WEBARENA
from rollouts.browser.evaluators.urls import urls_match
from rollouts.sandbox.atlas import data, robin
from rollouts.sandbox.atlas.directions import (
    NoRoute,
    describe,
    format_distance,
    plan_route,
)
from rollouts.sandbox.atlas.robin import SavedRoute
from rollouts.sandbox.atlas.search import (
    arrange,
    find,
    find_one,
    format_time,
    from_center,
    parse_time,
    suggest,
)
from rollouts.sandbox.atlas.state import MOST_LISTS, Atlas, AtlasError, new_changes
from rollouts.sandbox.atlas.streets import SPEEDS, Edge, Spot, Streets, measure
from rollouts.sandbox.catalog import TEMPLATES, load_tasks
from rollouts.sandbox.sites import ATLAS
from tests.rollouts.sandbox.visitor import INTERACTIVE, Sandbox

PLACE, OTHER = (p for p in data.BY_TOWN["Oslo"][:2])
FAR = data.BY_TOWN["Rome"][0]
HELD = data.PLACES[robin.SAVED["holiday"][0]]
NOTE = robin.NOTES[3]
CAR_FREE = next(p for p in data.PLACES.values() if "car" not in p.spot.edge.modes)
TRIP = f"from={PLACE.name}&to={OTHER.name}".replace(" ", "+")
PAGES = [
    "/",
    "/towns",
    *[f"/region/{slug}" for slug in data.REGION_BY_SLUG],
    *[f"/town/{slug}" for slug in data.TOWN_BY_SLUG],
    *[f"/town/oslo/{slug}" for slug in data.CATEGORY_BY_SLUG],
    "/town/oslo/cafe?sort=rating&open=21:00&page=9999999999",
    "/town/oslo/cafe?sort=no&open=noon",
    "/search",
    "/search?q=%3Cscript%3E",
    "/search?q=oslo",
    "/search?q=cafe+near+park+street,+oslo",
    "/search?q=cafe+near+park+road,+oslo",
    "/search?q=near",
    "/map/oslo",
    "/map/oslo?zoom=99&x=-999999&y=north",
    "/map/oslo?zoom=²&x=--1&y=",
    *[f"/place/{p.slug}" for p in (PLACE, HELD, CAR_FREE, data.PLACES[NOTE.place])],
    "/directions",
    f"/directions?{TRIP}",
    f"/directions?{TRIP}&leave=25:99&tab=boat",
    "/directions?from=&to=x",
    "/routes?page=2",
    "/saved",
    *[f"/saved/{slug}" for slug in robin.LIST_NAMES],
    "/notes?page=3",
    "/notes?show=mine",
    *[f"/note/{number}" for number in robin.NOTES],
    "/settings",
]


@pytest.fixture
def atlas() -> Atlas:
    return Atlas(new_changes())


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture(scope="module")
def token(sandbox: Sandbox) -> str:
    return sandbox.open("atlas")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_renders_lean_and_alone(sandbox: Sandbox, token: str, path: str) -> None:
    page = sandbox.get("atlas", token, path)
    assert page.status_code == 200
    assert "http" not in page.text
    assert "<script>" not in page.text
    beside = re.sub(r"(?s)<(dialog|svg).*?</\1>", "", page.text)
    assert len(INTERACTIVE.findall(beside)) <= 25


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/region/moon",
        "/town/moon",
        "/town/oslo/moon",
        "/map/moon",
        "/place/moon",
        "/saved/moon",
        "/note/0",
        "/note/moon",
    ],
)
def test_what_does_not_exist_gets_the_sites_own_404(
    sandbox: Sandbox, token: str, path: str
) -> None:
    page = sandbox.get("atlas", token, path)
    assert page.status_code == 404
    assert "does not exist" in page.text
    assert 'class="brand"' in page.text


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        (f"/place/{PLACE.slug}/save", {}, 422),
        (f"/place/{PLACE.slug}/save", {"list": "moon"}, 422),
        (f"/place/{PLACE.slug}/save", {"new": "<b>"}, 422),
        (f"/place/{PLACE.slug}/report", {"problem": "Boring"}, 422),
        (f"/place/{PLACE.slug}/review", {"stars": "²", "text": "Good"}, 422),
        ("/saved", {"name": ""}, 422),
        ("/saved/work/remove", {"place": "moon"}, 404),
        ("/routes", {"from": PLACE.slug, "to": "moon"}, 404),
        ("/routes", {"from": PLACE.slug, "to": FAR.slug, "mode": "car"}, 422),
        ("/settings", {"town": "Moon", "mode": "car"}, 422),
        ("/settings", {"town": "Oslo", "mode": "boat"}, 422),
    ],
)
def test_a_wrong_form_is_refused_in_words(
    sandbox: Sandbox, path: str, form: dict[str, str], status: int
) -> None:
    token = sandbox.open("atlas")
    assert sandbox.post("atlas", token, path, **form).status_code == status
    assert sandbox.state(token)["atlas"] == new_changes()


def test_forms_change_the_map(sandbox: Sandbox) -> None:
    token, here = sandbox.open("atlas"), f"/place/{PLACE.slug}"
    sandbox.post("atlas", token, f"{here}/save", list="work")
    sandbox.post("atlas", token, f"{here}/save", new="My Days")
    sandbox.post("atlas", token, f"{here}/report", problem="Wrong hours", text="<i>")
    page = sandbox.post("atlas", token, f"{here}/review", stars="5", text="<b>")
    assert "Saved in Work, My Days" in page.text
    assert "&lt;b&gt;" in page.text
    assert "&lt;i&gt;" in page.text
    sandbox.post("atlas", token, f"/note/{NOTE.number}", on="yes")
    sandbox.post("atlas", token, "/settings", town="Rome", mode="bike")
    sandbox.post("atlas", token, "/saved/family/delete")
    sandbox.post("atlas", token, "/saved/holiday/remove", place=HELD.slug)
    assert sandbox.state(token)["atlas"] == {
        "lists": {"my-days": "My Days", "family": False},
        "saved": {
            f"work/{PLACE.slug}": True,
            f"my-days/{PLACE.slug}": True,
            f"holiday/{HELD.slug}": False,
        },
        "routes": {},
        "notes": {PLACE.slug: {"problem": "Wrong hours", "text": "<i>"}},
        "resolved": {str(NOTE.number): True},
        "reviews": {PLACE.slug: {"stars": 5, "text": "<b>"}},
        "settings": {"town": "Rome", "mode": "bike"},
    }


def test_a_saved_route_is_listed_and_can_be_removed(sandbox: Sandbox) -> None:
    token = sandbox.open("atlas")
    form = {"from": PLACE.slug, "to": OTHER.slug, "mode": "foot"}
    page = sandbox.post("atlas", token, "/routes", on="yes", **form)
    assert "Remove route" in page.text
    route = SavedRoute(PLACE.slug, OTHER.slug, "foot")
    assert sandbox.state(token)["atlas"]["routes"] == {route.key: True}
    page = sandbox.post("atlas", token, "/routes", on="no", back="routes", **form)
    assert "Saved routes" in page.text
    assert sandbox.state(token)["atlas"] == new_changes()


def test_directions_say_what_is_wrong_beside_the_field(
    sandbox: Sandbox, token: str
) -> None:
    page = sandbox.get("atlas", token, "/directions?from=xyz&to=lion&leave=noon")
    assert "No place is called &#34;xyz&#34;." in page.text
    assert "Write the whole name." in page.text
    assert "Write the time like 14:30." in page.text


def test_directions_between_towns_are_refused(sandbox: Sandbox, token: str) -> None:
    trip = f"from={PLACE.name}&to={FAR.name}".replace(" ", "+")
    page = sandbox.get("atlas", token, f"/directions?{trip}")
    assert "different towns" in page.text


def test_the_script_of_the_map_is_served(sandbox: Sandbox, token: str) -> None:
    assert "data-fill" in sandbox.get("atlas", token, "/static/site.js").text


def test_suggestions_are_towns_and_places() -> None:
    assert suggest("osl") == [("Oslo", "/town/oslo")]
    assert suggest(" ") == []
    assert suggest(PLACE.name) == [(f"{PLACE.name}, Oslo", f"/place/{PLACE.slug}")]
    assert len(suggest("cafe")) == 5


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


def test_a_place_saved_and_removed_leaves_no_trace() -> None:
    changes = new_changes()
    atlas = Atlas(changes)
    atlas.set_saved("work", PLACE, True)
    atlas.set_saved("holiday", HELD, False)
    assert atlas.lists_of(PLACE) == ["Work"]
    assert HELD not in atlas.places("holiday")
    atlas.set_saved("work", PLACE, False)
    atlas.set_saved("holiday", HELD, True)
    assert changes == new_changes()


def test_a_new_list_deleted_leaves_no_trace() -> None:
    changes = new_changes()
    atlas = Atlas(changes)
    slug = atlas.add_list("Sunday Walk")
    atlas.set_saved(slug, PLACE, True)
    assert atlas.places(slug) == [PLACE]
    atlas.delete_list(slug)
    assert changes == new_changes()


def test_a_list_made_again_is_empty(atlas: Atlas) -> None:
    atlas.delete_list("holiday")
    assert "holiday" not in atlas.lists
    atlas.add_list("Holiday")
    assert atlas.places("holiday") == []
    atlas.delete_list("holiday")
    atlas.add_list("holiday")
    atlas.set_saved("holiday", HELD, True)
    assert atlas.places("holiday") == [HELD]


@pytest.mark.parametrize("name", ["", "Work", "WORK", "a/b", "x" * 31, "été"])
def test_a_list_with_a_wrong_name_is_refused(atlas: Atlas, name: str) -> None:
    with pytest.raises(AtlasError):
        atlas.add_list(name)


def test_there_are_only_so_many_lists(atlas: Atlas) -> None:
    for number in range(MOST_LISTS - len(robin.LISTS)):
        atlas.add_list(f"List {number}")
    with pytest.raises(AtlasError, match="at most"):
        atlas.add_list("One more")


def test_a_route_removed_and_saved_leaves_no_trace() -> None:
    changes = new_changes()
    atlas = Atlas(changes)
    route = next(iter(robin.ROUTES.values()))
    atlas.set_route(route, False)
    assert route not in atlas.routes
    atlas.set_route(route, True)
    assert changes == new_changes()


def test_a_note_opened_again_leaves_no_trace() -> None:
    changes = new_changes()
    atlas = Atlas(changes)
    atlas.set_resolved(NOTE, True)
    assert atlas.is_resolved(NOTE)
    atlas.set_resolved(NOTE, False)
    assert changes == new_changes()


def test_settings_changed_back_leave_no_trace() -> None:
    changes = new_changes()
    atlas = Atlas(changes)
    atlas.change_settings("Rome", "bike")
    assert atlas.settings == {"town": "Rome", "mode": "bike"}
    atlas.change_settings("London", "car")
    assert changes == new_changes()


def test_a_second_review_or_report_replaces_the_first(atlas: Atlas) -> None:
    atlas.write_review(PLACE, 1, "Too loud")
    atlas.write_review(PLACE, 5, "Good")
    assert [r.text for r in atlas.reviews(PLACE) if r.author == "Robin"] == ["Good"]
    atlas.add_report(PLACE, "Wrong hours", "")
    atlas.add_report(PLACE, "Wrong phone", "x")
    assert atlas.reports == [(PLACE, {"problem": "Wrong phone", "text": "x"})]


def test_places_can_be_told_apart() -> None:
    assert len(data.PLACES) == len(data.PLACE_BY_NAME) == 1680
    for places in data.BY_TOWN.values():
        assert len({place.address for place in places}) == len(places)
    for town in data.TOWNS.values():
        for category in town.categories:
            own = [p for p in data.BY_TOWN[town.name] if p.category == category]
            assert len({place.rating for place in own}) == len(own) == 14
    phones = [place.phone for place in data.PLACES.values() if place.phone]
    assert len(set(phones)) == len(phones)


def test_no_address_is_the_beginning_of_another() -> None:
    """url_match compares by substring."""
    for slugs in (data.PLACES, data.TOWN_BY_SLUG, data.CATEGORY_BY_SLUG):
        pairs = itertools.pairwise(sorted(slugs))
        assert not any(after.startswith(before) for before, after in pairs)


def test_doing_nothing_solves_no_possible_task() -> None:
    start = "http://atlas.0af.localhost:8010"
    for task in (task for task in load_tasks() if task["sites"] == ["atlas"]):
        rules, empty = task["eval"], new_changes()
        answers = rules["reference_answers"] or {"exact_match": "an answer"}
        is_possible = TEMPLATES[task["template_key"]].is_possible
        assert is_possible == (answers["exact_match"] not in ("", "N/A"))
        wanted = rules["reference_url"].replace(ATLAS.placeholder, start)
        assert not wanted or not urls_match(wanted, f"{start}/", WEBARENA)
        for part in rules["reference_state"]:
            assert empty[part["path"]] != part["equals"]


def test_answers_do_not_stand_in_the_instruction() -> None:
    for task in load_tasks():
        answers = task["eval"]["reference_answers"]
        if task["sites"] == ["atlas"] and answers:
            words = re.findall(r"[\w:.]+", task["intent"])
            assert answers["exact_match"] not in words
