"""What somebody wrote and did not send: kept, offered back, and thrown away."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.desk import press_and_wait, wait_until_ready

pytestmark = pytest.mark.browser


def write_and_leave(page: Page, words: str, note: str = "") -> str:
    """Write about the task on the desk, go to another page, and come to the desk.

    Returns the original instruction.
    """
    original = page.input_value("#id_instruction")
    page.keyboard.press("e")
    page.keyboard.type(words)
    if note:
        page.click("[data-note] summary")
        page.fill("#id_note", note)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(page.url)
    return original


def test_what_the_browser_puts_back_is_an_edit_again(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    page.goto(f"{server.url}/review/")
    page.on("dialog", lambda dialog: dialog.accept())
    page.keyboard.press("e")
    page.keyboard.type(" Wrong words.")
    page.click("[data-note] summary")
    page.fill("#id_note", "a wrong note")
    page.click("text=task page")
    page.wait_for_url("**/curriculum/**")

    page.go_back()

    expect(page.locator("#id_instruction")).to_have_value(re.compile("Wrong words"))
    expect(page.locator("[data-accept-label]")).to_have_text("Accept the edit")
    expect(page.locator("[data-diff] ins").last).to_have_text("words.")
    expect(page.locator("#id_note")).to_be_visible()
    expect(page.locator("[data-draft]")).to_be_hidden()


def test_what_is_thrown_away_is_gone_from_the_form(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/review/")
    original = write_and_leave(page, " Wrong words.", note="a wrong note")
    # As where the browser has put the words back by itself.
    for part, text in (
        ("#id_instruction", f"{original} Wrong words."),
        ("#id_note", "a wrong note"),
    ):
        page.eval_on_selector(part, "(part, text) => { part.value = text }", text)

    page.click("[data-throw]")

    expect(page.locator("#id_instruction")).to_have_value(original)
    expect(page.locator("#id_note")).to_have_value("")
    expect(page.locator("[data-accept-label]")).not_to_have_text("Accept the edit")
    expect(page.locator("[data-draft]")).to_be_hidden()


def test_what_was_written_since_is_not_thrown_away(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/review/")
    original = write_and_leave(page, " Old words.")
    page.keyboard.press("e")
    page.keyboard.type(" New words.")

    page.click("[data-throw]")

    expect(page.locator("#id_instruction")).to_have_value(f"{original} New words.")


def test_a_long_draft_does_not_widen_the_page(open_page: OpenPage, server: Server):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/review/")
    page.fill("#id_instruction", "x" * 3000)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{server.url}/review/")
    expect(page.locator("[data-draft]")).to_be_visible()

    width = page.evaluate("document.documentElement.scrollWidth")

    assert width <= 390
    assert len(page.inner_text("[data-draft-text]")) < 300
    page.click("[data-throw]")


def test_a_reason_alone_is_no_unsent_text(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    page.check('[name="reason"][value="ambiguous"]')
    page.keyboard.press("e")
    page.keyboard.type("  ")

    press_and_wait(page, "Escape", "s")

    expect(page.locator("[data-drafts]")).to_be_hidden()
    assert page.evaluate("Object.keys(localStorage).join()").count("desk-draft") == 0


def test_a_chosen_reason_survives_a_reload(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    page.keyboard.press("2")
    chosen = page.locator('[name="reason"]:checked').get_attribute("value")

    page.goto(f"{server.url}/review/")

    expect(page.locator(f'[name="reason"][value="{chosen}"]')).to_be_checked()
    expect(page.locator("[data-draft]")).to_be_hidden()


def test_a_flag_that_was_sent_leaves_no_draft(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")

    page.keyboard.press("f")
    page.keyboard.type("is this one fair?")
    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-said]")).to_contain_text("Flagged")
    wait_until_ready(page)
    expect(page.locator("[data-draft]")).to_be_hidden()
    page.keyboard.press("u")
    expect(page.locator("[data-said]")).to_have_text("The flag is withdrawn.")
    expect(page.locator("#id_note")).to_have_value("is this one fair?")


def test_text_that_was_not_sent_is_offered_back(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    original = page.input_value("#id_instruction")
    page.keyboard.press("e")
    page.keyboard.type(" <b>Then</b> wait.")
    page.on("dialog", lambda dialog: dialog.accept())

    page.goto(f"{server.url}/review/")

    assert page.input_value("#id_instruction") == original
    expect(page.locator("[data-draft-text]")).to_contain_text("<b>Then</b> wait.")
    page.click("[data-restore]")
    expect(page.locator("#id_instruction")).to_have_value(re.compile(r"wait\.$"))
    expect(page.locator("[data-draft]")).to_be_hidden()
    press_and_wait(page, "Escape", "a")
    page.goto(f"{server.url}/review/")
    expect(page.locator("[data-draft]")).to_be_hidden()
    expect(page.locator("[data-drafts]")).to_be_hidden()
    page.keyboard.press("u")
    expect(page.locator("[data-said]")).to_contain_text("Undone:")


def test_text_about_a_task_that_went_away_is_listed(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    page.keyboard.press("e")
    page.keyboard.type(" My careful words")
    page.eval_on_selector('[name="token"]', "field => field.value = 'taken'")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("gone to someone else")
    # As if the desk had gone on to another task since.
    page.evaluate(
        """() => {
          const [key, text] = Object.entries(localStorage)
            .find(([name]) => name.startsWith("desk-draft"));
          localStorage.removeItem(key);
          localStorage.setItem(key.replace(/\\d+$/, "999999"), text);
        }"""
    )
    page.on("dialog", lambda dialog: dialog.accept())

    page.goto(f"{server.url}/review/")

    expect(page.locator("[data-drafts] summary")).to_have_text(
        "Unsent text of 1 other task"
    )
    page.click("[data-drafts] summary")
    expect(page.locator("[data-drafts] li")).to_contain_text("My careful words")
    page.click("[data-forget]")
    expect(page.locator("[data-drafts]")).to_be_hidden()
