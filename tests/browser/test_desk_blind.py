"""The two looks of a blind review, in a browser."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.desk import press_and_wait, task_id, wait_until_ready
from tests.browser.test_review_desk import IN_SIGHT

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def blind(server: Server) -> None:
    """Let every run hide the machine's opinion at first."""
    with contextlib.closing(sqlite3.connect(server.database, timeout=20)) as rows:
        rows.execute(
            "UPDATE curriculum_run SET config = "
            "json_set(config, '$.review.blind_first', json('true'))"
        )
        rows.commit()


def look_once(page: Page) -> str:
    """Press Accept for the first time; returns the task's id."""
    before = task_id(page)
    page.click('button[value="accept"]')
    expect(page.locator("[data-first]")).to_be_visible()
    wait_until_ready(page)
    return before


def test_on_a_telephone_it_is_seen_that_nothing_is_decided_yet(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/review/")
    page.locator('button[value="accept"]').scroll_into_view_if_needed()

    look_once(page)

    assert page.eval_on_selector("[data-first]", IN_SIGHT)


def test_the_key_that_undoes_takes_nothing_back_between_the_looks(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    page.goto(f"{server.url}/review/")
    press_and_wait(page, "s")
    looked = look_once(page)

    page.keyboard.press("u")

    expect(page.locator("[data-said]")).to_contain_text("Nothing is decided yet")
    assert task_id(page) == looked
    page.keyboard.press("a")
    expect(page.locator("[data-said]")).to_have_text("Accepted.")
