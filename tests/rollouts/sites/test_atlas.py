from __future__ import annotations

import itertools
import re

import pytest

from rollouts.browser.evaluators.rule_sets import WEBARENA
from rollouts.browser.evaluators.urls import urls_match
from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.state import MAX_LISTS, Atlas, AtlasError, new_changes
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.sandbox.catalog import TEMPLATES, load_tasks

PLACE, OTHER = (p for p in data.BY_TOWN["Oslo"][:2])
FAR = data.BY_TOWN["Rome"][0]
HELD = data.PLACES[robin.SAVED["holiday"][0]]
NOTE = robin.NOTES[3]


@pytest.fixture
def atlas() -> Atlas:
    return Atlas(new_changes())


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
    for number in range(MAX_LISTS - len(robin.LISTS)):
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
