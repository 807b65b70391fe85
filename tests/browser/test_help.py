"""Words that explain themselves, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser
MEANING = "The critic's probability, 0 to 1"


def test_a_word_is_explained_by_hover_and_by_focus_and_escape_closes_it(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/curriculum/dial/")
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
    page.goto(f"{server.url}/curriculum/dial/")
    page.click("[popovertarget=term-value]")
    box = page.locator("#term-value").bounding_box()

    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_a_word_is_explained_without_scripts(open_page: OpenPage, server: Server):
    page = open_page("researcher", scripts=False)
    page.goto(f"{server.url}/curriculum/dial/")
    page.click("[popovertarget=term-value]")

    expect(page.locator("#term-value")).to_be_visible()


def test_the_glossary_is_searched_while_typing(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/help/")
    page.fill("#id_q", "behaviour cloning")

    expect(page.locator("#glossary dt")).to_have_text(["SFT"])
