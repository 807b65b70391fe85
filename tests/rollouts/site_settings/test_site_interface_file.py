from __future__ import annotations

import json

import pytest

from curriculum.errors import WorkbenchError
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.site_settings.site_interface_file import parse_interfaces

GOOD = {"url": "http://shop.lab:7770/", "token": "s3cret"}


def test_an_interface_is_read():
    expected = {"shopping": ShopInterface("http://shop.lab:7770", "s3cret")}
    assert parse_interfaces(json.dumps({"shopping": GOOD})) == expected
    assert parse_interfaces("") == {}


def test_the_token_is_not_shown():
    assert "s3cret" not in repr(parse_interfaces(json.dumps({"shopping": GOOD})))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("s3cret", "needs url and token"),
        (GOOD | {"password": "s3cret"}, "and nothing else"),
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
