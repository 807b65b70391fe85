"""Every page of the workbench, from the URLconf: what holds for all of them."""

from __future__ import annotations

import statistics

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import OpenPage, Server, watched_pages
from tests.browser.looking import Seen, find_violations, tour

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROWS = "every-state"
MAX_BYTES = 600_000
WAYS = [("admin", 1280, "light"), ("researcher", 390, "dark")]
Found = tuple[dict[str, Seen], list[str]]


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: way[0])
def found(request: pytest.FixtureRequest, chromium: Browser, server: Server) -> Found:
    """What each page was like, and what went wrong in the console or the network."""
    who, width, theme = request.param
    with watched_pages(chromium, server) as (open_page, problems):
        page = open_page(who, width=width, theme=theme)
        return tour(page, server, with_tab=width > 1000), problems


def test_the_list_holds_pages_of_every_part(server: Server):
    wanted = {"home", "review", "task", "run_new", "phase-failed", "replay", "charts"}

    assert wanted <= set(server.pages)
    assert len(server.pages) >= 45


def test_axe_finds_nothing_serious(found: Found):
    broken = {name: seen.broken for name, seen in found[0].items() if seen.broken}

    assert broken == {}


def test_no_page_logs_a_warning_or_asks_another_host(found: Found):
    assert found[1] == []


def test_no_page_scrolls_sideways(found: Found):
    assert [name for name, seen in found[0].items() if seen.is_wide] == []


def test_tab_reaches_everything_and_shows_where_it_is(found: Found):
    assert {name: seen.lost for name, seen in found[0].items() if seen.lost} == {}


def test_pages_are_light_and_paint_at_once(found: Found):
    weights = {name: seen.bytes for name, seen in found[0].items()}
    paints = [seen.paint_ms for seen in found[0].values()]

    assert {name: n for name, n in weights.items() if n > MAX_BYTES} == {}
    assert statistics.median(paints) < 1000


def test_axe_does_find_what_is_broken(open_page: OpenPage):
    page = open_page("annotator", by_form=True)
    page.evaluate("document.querySelector('main').append(new Image())")
    page.evaluate("document.querySelector('main h2').style.color = '#eee'")

    names = {name for name, _ in find_violations(page)}
    assert {"image-alt", "color-contrast"} <= names
