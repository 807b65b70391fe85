"""An annotator's day at the review desk, from sign-in to the count at the end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.desk import count_mine, press_and_wait, task_id, wait_until_ready

pytestmark = pytest.mark.browser

REASONS = 5


def write_note(page: Page, key: str, note: str) -> None:
    """Press a key that wants a note, and write it."""
    page.keyboard.press(key)
    expect(page.locator("#id_note")).to_be_focused()
    page.keyboard.type(note)


def decide_seventeen(page: Page) -> None:
    """Accept eight, edit two, flag one that is rejected with four more, skip two."""
    for _ in range(8):
        press_and_wait(page, "a")
    for words in (" Then stop.", " Stay on the page."):
        page.keyboard.press("e")
        page.keyboard.type(words)
        press_and_wait(page, "Control+Enter")
    write_note(page, "f", "is this one fair?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-said]")).to_contain_text("Flagged")
    wait_until_ready(page)
    for reason in range(REASONS):
        press_and_wait(page, "r", str(reason + 1))
    for _ in range(2):
        press_and_wait(page, "s")


def test_twenty_tasks_are_decided_in_every_way_and_counted(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator", by_form=True)
    with page.expect_navigation():
        page.click("nav >> text=Review")
    before = count_mine(page)

    decide_seventeen(page)
    for key, note in (("o", "not my site"), ("d", "I wrote this page")):
        write_note(page, key, note)
        press_and_wait(page, "Control+Enter")
    press_and_wait(page, "a")
    assert count_mine(page) == before + 16

    page.keyboard.press("u")
    expect(page.locator("[data-said]")).to_contain_text("Undone:")
    wait_until_ready(page)
    assert count_mine(page) == before + 15


def test_a_second_browser_takes_the_task_and_the_first_keeps_its_words(
    open_page: OpenPage, server: Server
):
    here, there = open_page("annotator"), open_page("annotator")
    here.goto(f"{server.url}/review/")
    here.keyboard.press("e")
    here.keyboard.type(" My careful words.")
    there.goto(f"{server.url}/review/")
    assert task_id(there) == task_id(here)
    press_and_wait(there, "a")

    here.keyboard.press("Control+Enter")

    expect(here.get_by_role("alert").first).to_contain_text("was not saved")
    expect(here.locator("#id_instruction")).to_have_value(re.compile("careful words"))
    here.click("text=Take the next task")
    wait_until_ready(here)
    assert task_id(here) != ""
