"""Where the focus is after a part of a page was fetched anew, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser


def wait_for_refresh(page: Page) -> None:
    """Wait until the part of the page that renews itself is another one."""
    page.evaluate("document.querySelector('main table').dataset.old = ''")
    expect(page.locator("main table[data-old]")).to_have_count(0)


def test_a_refresh_of_the_queue_leaves_the_focus_where_it_was(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/runs/queue/")
    stop = page.locator("main table button").last
    stop.focus()
    wait_for_refresh(page)

    expect(stop).to_be_focused()


def test_the_focus_goes_to_the_heading_where_its_row_is_gone(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/runs/queue/")
    stop = page.locator("main table button").first
    stop.evaluate("(button) => { button.textContent = 'Stop a phase that has ended' }")
    stop.focus()
    wait_for_refresh(page)

    expect(page.get_by_role("heading", name="Work", exact=True)).to_be_focused()
    wait_for_refresh(page)
    expect(page.get_by_role("heading", name="Work", exact=True)).to_be_focused()


def test_a_verdict_leaves_the_focus_on_its_button(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/trajectories/1/")
    for name in ("Failure", "Success"):
        verdict = page.locator(".verdict-form").get_by_role("button", name=name)
        verdict.press("Enter")
        expect(verdict).to_have_attribute("aria-pressed", "true")
        expect(verdict).to_be_focused()

    page.get_by_role("button", name="Withdraw it").press("Enter")

    expect(page.get_by_role("button", name="Withdraw it")).to_have_count(0)
    expect(page.get_by_role("heading", name="Verdicts")).to_be_focused()


def test_looking_at_a_file_leaves_the_focus_on_its_button(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/curriculum/import/")
    file = {"name": "tasks.json", "mimeType": "text/plain", "buffer": b"no tasks"}
    page.set_input_files("#id_file", file)  # type: ignore[arg-type]
    look = page.get_by_role("button", name="Check")
    look.press("Enter")

    expect(page.locator("#file-report .notice")).to_be_visible()
    expect(look).to_be_focused()
