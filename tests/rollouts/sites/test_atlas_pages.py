from __future__ import annotations

import re

import pytest

from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.robin import SavedRoute
from rollouts.sites.atlas.state import new_changes
from tests.rollouts.sites.visitor import INTERACTIVE, Sandbox, without_frame

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
    text = without_frame(page.text)
    assert "http" not in text
    assert "<script" not in text
    beside = re.sub(r"(?s)<(dialog|svg).*?</\1>", "", text)
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
        ("/saved/holiday/remove", {"place": "moon"}, 404),
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


def test_the_script_of_the_map_is_in_its_pages(sandbox: Sandbox, token: str) -> None:
    assert "dataset.fill" in sandbox.get("atlas", token, "/").text
