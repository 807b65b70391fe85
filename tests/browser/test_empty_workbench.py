"""The pages of a workbench in which nothing has happened yet."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.looking import tour

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROWS = "none"


@pytest.mark.parametrize("who", ["researcher", "annotator"])
def test_empty_pages_break_no_rule(who: str, open_page: OpenPage, server: Server):
    found = tour(open_page(who, width=390), server, with_tab=True)

    assert len(found) >= 10
    assert [name for name, seen in found.items() if seen.is_wide] == []
    assert {name: seen.broken for name, seen in found.items() if seen.broken} == {}
    assert {name: seen.lost for name, seen in found.items() if seen.lost} == {}


def test_an_empty_desk_says_so(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/review/")

    expect(page.locator("main .empty")).to_be_visible()
