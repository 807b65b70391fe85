"""The review desk by mouse, by touch and from inside the note."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.desk import press_and_wait, task_id, wait_until_ready

pytestmark = pytest.mark.browser


def open_desk(open_page: OpenPage, server: Server, **kwargs: int) -> Page:
    page = open_page("researcher", **kwargs)
    page.goto(f"{server.url}/review/")
    return page


def expect_another(page: Page, before: str) -> None:
    expect(page.locator('[name="task_id"]')).not_to_have_value(before)
    wait_until_ready(page)


def test_a_reason_that_is_pointed_at_after_reject_is_sent(
    open_page: OpenPage, server: Server
):
    page = open_desk(open_page, server, width=390)
    before = task_id(page)

    page.click('button[value="reject"]')
    page.click('label:has([value="ambiguous"])')

    expect_another(page, before)
    expect(page.locator("[data-said]")).to_have_text("Rejected.")


def test_a_reason_that_is_walked_to_by_keys_waits_for_reject(
    open_page: OpenPage, server: Server
):
    page = open_desk(open_page, server)
    before = task_id(page)

    page.click('button[value="reject"]')
    page.keyboard.press("ArrowDown")

    expect(page.locator('[data-ask="reason"]')).to_have_text("Now press Reject.")
    assert task_id(page) == before
    press_and_wait(page, "r")


def test_an_emptied_instruction_is_not_accepted(open_page: OpenPage, server: Server):
    page = open_desk(open_page, server)
    before, original = task_id(page), page.input_value("#id_instruction")
    page.fill("#id_instruction", " ")

    page.click('button[value="accept"]')
    expect(page.locator('[data-ask="text"]')).to_contain_text("is empty")
    assert task_id(page) == before
    page.click("[data-original-text]")

    expect(page.locator("#id_instruction")).to_have_value(original)
    expect(page.locator('[data-ask="text"]')).to_be_empty()
    expect(page.locator("[data-original-text]")).to_be_hidden()


def write_note(page: Page, note: str) -> None:
    page.click("[data-note] summary")
    page.fill("#id_note", note)


def test_the_note_sends_what_was_chosen(open_page: OpenPage, server: Server):
    page = open_desk(open_page, server)
    page.check('[name="reason"][value="ambiguous"]')
    write_note(page, "how many mugs?")
    press_and_wait(page, "Control+Enter")
    expect(page.locator("[data-said]")).to_have_text("Rejected.")

    page.fill("#id_instruction", "Add two mugs.")
    write_note(page, "one was odd")
    press_and_wait(page, "Control+Enter")

    expect(page.locator("[data-said]")).to_have_text("Edited and accepted.")


def test_the_note_says_why_it_sends_nothing(open_page: OpenPage, server: Server):
    page = open_desk(open_page, server)
    before = task_id(page)
    write_note(page, "hm")

    page.keyboard.press("Control+Enter")
    expect(page.locator('[data-ask="note"]')).to_contain_text("Nothing is chosen yet")
    page.fill("#id_note", "")
    page.keyboard.press("Escape")
    page.keyboard.press("o")
    page.keyboard.press("Control+Enter")

    expect(page.locator('[data-ask="note"]')).to_have_text(
        re.compile("The note is empty. Write why")
    )
    assert task_id(page) == before
