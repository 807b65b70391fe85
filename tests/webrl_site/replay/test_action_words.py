from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from rollouts.browser.actions.browsergym import CALLS, parse_browsergym
from rollouts.browser.actions.webrl import KINDS, parse_action
from tests.seed import Example
from tests.webrl_site.conftest import SignIn
from webrl_site.replay.action_words import (
    SENTENCES,
    describe_action,
    name_repairs,
    write_action,
)

PAGE = '<input id="4" label="Search"/><button id="12">Add to cart</button><a id="5"/>'


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"name": "Click", "element": 12, "argument": ""}, "Click “Add to cart”"),
        ({"name": "Type", "element": 4, "argument": "mug"}, "Type “mug” into “Search”"),
        ({"name": "Type", "element": 4, "argument": ""}, "Clear “Search”"),
        ({"name": "Click", "element": 5}, "Click [5]"),
        ({"name": "Click", "element": 99}, "Click [99]"),
        ({"name": "Exit", "argument": "$12.50"}, "Answer “$12.50”"),
        ({"name": "Exit", "argument": ""}, "Stop"),
        ({"name": "Go Home"}, "Go to the start page"),
        ({"name": "Click"}, "Click"),
        ({"name": "Type", "argument": "mug"}, "Type “mug”"),
        ({"name": "Juggle", "element": 12, "argument": "3"}, "Juggle “3” → [12]"),
        ({}, "No valid action"),
    ],
)
def test_actions_are_said_as_a_person_says_them(action: dict[str, Any], said: str):
    assert describe_action(action, PAGE) == said


def test_what_was_understood_is_told_with_the_elements_id():
    assert write_action({"name": "Click", "element": 12}) == "Click → [12]"
    assert write_action({"name": "Type", "element": 4, "argument": "mug"}) == (
        "Type “mug” → [4]"
    )


def test_every_action_has_its_sentence():
    written = {parse_browsergym(call.example).name for call in CALLS.values()}

    assert written | set(KINDS) == set(SENTENCES)


def test_what_the_parser_passed_over_is_named():
    repairs = parse_action('I say: do(action="Wait") # x').repairs
    assert name_repairs({"repairs": list(repairs)}) == [
        "text before the call",
        "a comment after the call",
    ]
    assert name_repairs({"name": "Wait"}) == []
    assert name_repairs({"repairs": ["<b>"]}) == []


def test_a_repair_is_shown_with_its_step(sign_in: SignIn, example: Example):
    row = example.trajectory
    row.steps.update(action={"name": "Wait", "repairs": ["several calls"]})

    page = sign_in("annotator").get(f"/trajectories/{row.pk}/").content.decode()

    assert "several calls" in page


def test_a_long_text_is_cut():
    said = describe_action({"name": "Exit", "argument": "mug " * 500}, PAGE)

    assert len(said) < 80


@pytest.mark.parametrize(
    ("language", "said"),
    [("es", "Hacer clic en “Add to cart”"), ("zh-hans", "点击“Add to cart”")],
)
def test_the_verb_is_in_the_readers_language(language: str, said: str):
    with translation.override(language):
        assert describe_action({"name": "Click", "element": 12}, PAGE) == said


def test_a_name_with_markup_stays_text(sign_in: SignIn, example: Example):
    row = example.trajectory
    seen = '<a id="1">&lt;img src=x onerror=alert(1)&gt;</a>'
    row.steps.update(observation=seen)

    page = sign_in("annotator").get(f"/trajectories/{row.pk}/").content.decode()

    assert "Click “&lt;img src=x onerror=alert(1)&gt;”" in page
    assert "<img src=x" not in page
