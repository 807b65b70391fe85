"""Words that explain themselves, in a real browser."""

from __future__ import annotations

import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, OpenPage, Server

pytestmark = pytest.mark.browser
MEANING = "The critic's probability, 0 to 1"


def test_a_word_is_explained_by_hover_and_by_focus_and_escape_closes_it(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/curriculum/value-band/")
    word, note = page.locator("[popovertarget=term-value]"), page.locator("#term-value")
    word.hover()
    expect(note).to_contain_text(MEANING)
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    page.mouse.move(0, 0)

    page.locator("[popovertarget=term-critic]").focus()
    page.keyboard.press("Tab")

    expect(note).to_be_visible()
    expect(word).to_be_focused()


def test_a_word_is_explained_by_a_tap_inside_a_narrow_screen(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/curriculum/value-band/")
    page.click("[popovertarget=term-value]")
    box = page.locator("#term-value").bounding_box()

    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_a_word_is_explained_without_scripts(open_page: OpenPage, server: Server):
    page = open_page("researcher", scripts=False)
    page.goto(f"{server.url}/curriculum/value-band/")
    page.click("[popovertarget=term-value]")

    expect(page.locator("#term-value")).to_be_visible()


def test_the_glossary_is_searched_while_typing(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/help/")
    page.fill("#id_q", "behaviour cloning")

    expect(page.locator("#glossary dt")).to_have_text(["SFT"])


def test_the_built_docs_are_searched_under_the_dashboards_policy(
    open_page: OpenPage, server: Server
):
    folder = server.database.parent / "docs"
    command = ["-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True)
    page = open_page("annotator")
    page.goto(f"{server.url}/help/")
    page.get_by_role("link", name="An annotator's day").click()
    expect(page.locator("h1")).to_have_text("An annotator's day")

    box = page.get_by_label("Search")
    box.focus()
    page.wait_for_function("() => window.min_search_length !== undefined")
    box.press_sequentially("heartbeat")

    results = page.locator("#mkdocs-search-results a")
    expect(results.first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
