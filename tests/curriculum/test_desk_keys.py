from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.rules.desk_keys import ACTIONS, DEFAULTS, complete_keys, find_mistakes
from curriculum.selectors.reviewing.desk import read_keys


def test_the_usual_keys_work():
    assert find_mistakes(DEFAULTS) == {}
    assert list(DEFAULTS) == list(ACTIONS)


def test_what_was_not_chosen_stays_as_usual():
    assert complete_keys({"accept": "j"}) == DEFAULTS | {"accept": "j"}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("", "types a character"),
        ("ab", "types a character"),
        (" ", "types a character"),
        ("3", "already in use"),
        ("?", "already in use"),
        ("r", "share this key"),
    ],
)
def test_a_key_that_cannot_work_is_named(key: str, text: str):
    mistakes = find_mistakes(DEFAULTS | {"accept": key})

    assert text in mistakes["accept"]


@pytest.fixture
def client(ann: Any) -> Client:
    client = Client()
    client.force_login(ann)
    return client


def test_chosen_keys_are_kept_with_the_account(client: Client, ann: Any):
    client.post("/review/keys/", DEFAULTS | {"accept": "J"})

    assert read_keys(ann.pk)["accept"] == "j"
    seen = client.get("/review/").content.decode()
    assert "&quot;accept&quot;: &quot;j&quot;" in seen
    client.post("/review/keys/", {"reset": "yes"})
    assert read_keys(ann.pk) == DEFAULTS


def test_keys_that_clash_are_refused_and_shown_again(client: Client, ann: Any):
    response = client.post("/review/keys/", DEFAULTS | {"accept": "r", "skip": "x"})

    seen = response.content.decode()
    assert seen.count("Two actions share this key.") == 2
    assert 'value="x"' in seen
    assert read_keys(ann.pk) == DEFAULTS
