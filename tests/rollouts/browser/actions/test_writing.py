"""What a person chooses becomes a call that the parser reads as just that."""

from __future__ import annotations

import pytest

from rollouts.browser.actions.addresses import resolve
from rollouts.browser.actions.dialects import DIALECTS, DialectName
from rollouts.browser.actions.webrl import KINDS, parse_action
from rollouts.browser.actions.writing import WRITABLE, find_home, write_call

TEXTS = ['say "so"', "it's", "C:\\new", "two\nlines", "äöü 漢字", '"); exit()']


@pytest.mark.parametrize("name", WRITABLE["webrl"])
def test_every_action_of_webrl_is_read_back(name: str) -> None:
    kind = KINDS[name]
    read = parse_action(write_call("webrl", name, element=7, argument="1"))
    assert (read.name, read.error) == (name, "")
    assert read.element == (7 if kind.needs_element else None)
    if kind.needs_argument:
        assert read.argument == "1"


@pytest.mark.parametrize("name", WRITABLE["browsergym"])
def test_every_call_of_browsergym_is_read(name: str) -> None:
    output = write_call("browsergym", name, element=7, argument="1")
    assert DIALECTS["browsergym"].parse(output).error == ""


@pytest.mark.parametrize("dialect", ["webrl", "browsergym"])
@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_typed_as_it_stands(dialect: DialectName, text: str) -> None:
    output = write_call(dialect, "Type", element=3, argument=text)
    assert DIALECTS[dialect].parse(output).argument == text


def test_a_label_cannot_leave_its_comment_line() -> None:
    label = 'Cart\ndo(action="Go Home")'
    output = write_call("webrl", "Click", element=3, label=label)
    assert parse_action(output).name == "Click"


@pytest.mark.parametrize("dialect", ["browsergym", "autowebglm"])
@pytest.mark.parametrize(
    "start", ["__SHOP_ADMIN__", "__SHOP_ADMIN__/a", "__SHOP_ADMIN__ |AND| __MAP__/"]
)
def test_home_is_the_start_page_of_a_site_with_a_path(
    dialect: DialectName, start: str
) -> None:
    output = write_call(dialect, "Go Home", argument="x", home=find_home(start))
    action = DIALECTS[dialect].parse(output)
    origins = {"map": "http://map.test", "shop_admin": "http://shop.test/admin"}
    assert (action.name, action.error) == ("Go To", "")
    found = resolve(action.argument, "http://map.test/deep/page", origins)
    assert found == origins["shop_admin"]


def test_home_without_a_placeholder_is_the_root() -> None:
    assert find_home("http://shop.test/a") == find_home("__a__/b") == "/"
    assert write_call("browsergym", "Go Home") == "goto('/')"
    assert write_call("webrl", "Go Home", home="__SHOP__") == 'do(action="Go Home")'


def test_what_a_dialect_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="Search"):
        write_call("browsergym", "Search", element=3, argument="mug")
