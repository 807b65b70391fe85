"""What the tests of the review desk do again and again."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def task_id(page: Page) -> str:
    return page.input_value('[name="task_id"]')


def count_mine(page: Page) -> int:
    found = re.search(r"(\d+) by you today", page.inner_text(".desk-bar"))
    assert found is not None
    return int(found[1])


def press_and_wait(page: Page, *keys: str) -> None:
    """Press keys that decide, and wait for another task."""
    before = task_id(page)
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator('[name="task_id"]')).not_to_have_value(before)
    wait_until_ready(page)


def wait_until_ready(page: Page) -> None:
    expect(page.locator("[data-desk]:not([data-busy])")).to_be_visible()
