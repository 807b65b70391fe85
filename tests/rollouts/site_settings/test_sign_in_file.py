from __future__ import annotations

import json

import pytest

from curriculum.errors import WorkbenchError
from rollouts.browser.types import SignIn
from rollouts.site_settings.sign_in_file import parse_sign_ins

RECIPE = {
    "path": "/login",
    "fields": {"#user": "emma", "#password": "s3cret"},
    "button": "#send",
    "signed_in": "a.logout",
}

HEADERS = {"headers": {"X-User": "s3cret"}, "signed_in": ".me"}
STORAGE = {"local_storage": {"token": "s3cret"}, "signed_in": ".me"}


def test_headers_and_storage_take_the_place_of_a_form():
    text = json.dumps({"a": HEADERS, "b": STORAGE | {"path": "/app"}})

    headers, storage = parse_sign_ins(text).values()

    assert headers == SignIn("/", (), "", ".me", headers=(("X-User", "s3cret"),))
    assert storage == SignIn("/app", (), "", ".me", storage=(("token", "s3cret"),))
    assert "s3cret" not in f"{headers!r}{storage!r}"


def test_a_form_may_stand_behind_a_header():
    (recipe,) = parse_sign_ins(json.dumps({"a": RECIPE | HEADERS})).values()

    assert recipe.fields
    assert recipe.headers == (("X-User", "s3cret"),)


def test_a_recipe_is_read():
    fields = (("#user", "emma"), ("#password", "s3cret"))
    expected = SignIn("/login", fields, "#send", "a.logout")
    assert parse_sign_ins(json.dumps({"shopping": RECIPE})) == {"shopping": expected}


def test_a_published_site_needs_a_name_and_a_password_only():
    person = {"user": "emma", "password": "s3cret"}

    (recipe,) = parse_sign_ins(json.dumps({"gitlab": person})).values()

    assert recipe.path == "/users/sign_in"
    assert [text for _, text in recipe.fields] == ["emma", "s3cret"]
    assert "s3cret" not in repr(recipe)


def test_nothing_means_no_sign_ins():
    assert parse_sign_ins("") == {}


def test_what_is_typed_is_not_shown():
    (recipe,) = parse_sign_ins(json.dumps({"shopping": RECIPE})).values()
    assert "s3cret" not in repr(recipe)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "must be an object"),
        ({"shopping": 5}, "shopping: needs path"),
        ({"forum": {"user": "a", "password": "b"}}, "are enough for shopping"),
        ({"reddit": {"user": "a", "password": 5}}, "must be texts"),
        ({"shopping": RECIPE | {"script": "x"}}, "and nothing else"),
        ({"shopping": RECIPE | {"button": ""}}, "button must be a text"),
        ({"shopping": RECIPE | {"path": "http://x/"}}, "path must begin with /"),
        ({"shopping": RECIPE | {"fields": []}}, "fields must be an object"),
        ({"shopping": RECIPE | {"fields": {"#a": 5}}}, "fields must hold texts"),
        ({"a": {"headers": {"X-User": "emma"}}}, "a: needs path"),
        ({"a": HEADERS | {"button": "#send"}}, "a: needs path"),
        ({"a": HEADERS | {"headers": {}}}, "headers must be an object of names"),
        ({"a": HEADERS | {"headers": {"A b": "x"}}}, "names that a browser lets"),
        ({"a": HEADERS | {"headers": {"Cookie": "x"}}}, "names that a browser lets"),
        ({"a": HEADERS | {"headers": {"A": "x\ny"}}}, "one line of plain text"),
        ({"a": STORAGE | {"local_storage": {"t": 5}}}, "local_storage must hold"),
    ],
)
def test_a_mistake_is_named_with_its_site(data, message):
    with pytest.raises(WorkbenchError, match=message):
        parse_sign_ins(json.dumps(data))


def test_what_is_not_json_is_refused_without_repeating_it():
    with pytest.raises(WorkbenchError) as caught:
        parse_sign_ins('{"shopping": s3cret}')
    assert "s3cret" not in caught.value.message
