from __future__ import annotations

import json

import pytest

from curriculum.errors import WorkbenchError
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.site_settings.site_interface_file import parse_interfaces

GOOD = {"url": "http://shop.lab:7770/", "token": "s3cret"}
PERSON = {"url": "{address}", "user": "admin", "password": "s3cret"}


def test_an_interface_is_read():
    expected = {"shopping": ShopInterface("http://shop.lab:7770", "s3cret")}
    assert parse_interfaces(json.dumps({"shopping": GOOD})) == expected
    assert parse_interfaces("") == {}


def test_a_name_and_a_password_take_the_place_of_the_token():
    (found,) = parse_interfaces(json.dumps({"shopping": PERSON})).values()
    expected = ShopInterface("{address}", user="admin", password="s3cret")
    assert found == expected


@pytest.mark.parametrize("given", [GOOD, PERSON])
def test_what_lets_an_administrator_in_is_not_shown(given):
    shown = repr(parse_interfaces(json.dumps({"shopping": given})))
    assert "s3cret" not in shown
    assert "admin" not in shown


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("s3cret", "needs url and token"),
        (GOOD | {"password": "s3cret"}, "and nothing else"),
        (PERSON | {"token": "s3cret"}, "and nothing else"),
        ({"url": "http://shop.lab", "user": "s3cret"}, "or url, user and password"),
        (PERSON | {"user": ""}, "user and password must be"),
        (PERSON | {"password": ["s3cret"]}, "user and password must be"),
        (GOOD | {"url": "shop.lab"}, "url must be"),
        (GOOD | {"url": "http://["}, "url must be"),
        (GOOD | {"url": "http://shop.lab/?a=s3cret"}, "url must be"),
        (GOOD | {"token": ""}, "token must be"),
        (GOOD | {"token": "s3cret\nHost: x"}, "token must be"),
        (GOOD | {"token": 5}, "token must be"),
    ],
)
def test_a_mistake_is_named_without_the_token(value, message):
    with pytest.raises(WorkbenchError, match=message) as caught:
        parse_interfaces(json.dumps({"shopping": value}))
    assert caught.value.message.startswith("SITE_INTERFACES: shopping:")
    assert "s3cret" not in caught.value.message
