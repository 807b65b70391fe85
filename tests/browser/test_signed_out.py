"""A session that runs out while somebody works, in a real browser."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.desk import task_id, wait_until_ready
from tests.seed import PASSWORD

pytestmark = pytest.mark.browser


def end_session(page: Page) -> None:
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)


def sign_in_beside(page: Page, who: str) -> str:
    """Sign in by the notice, in a tab of its own; return where that leads to."""
    with page.context.expect_page() as opened:
        page.click("#signed-out a")
    tab = opened.value
    tab.fill("#id_username", who)
    tab.fill("#id_password", PASSWORD)
    tab.click("button[type=submit]")
    tab.wait_for_url(lambda url: "sign-in" not in url)
    address = tab.url
    tab.close()
    return address


def test_a_decision_is_sent_again_after_signing_in_beside(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator", may_fail=True)
    page.goto(f"{server.url}/review/")
    before = task_id(page)
    page.keyboard.press("e")
    page.keyboard.type(" Then stop.")
    end_session(page)
    page.keyboard.press("Control+Enter")

    expect(page.locator("#signed-out")).to_contain_text("You are signed out.")
    expect(page.locator("[data-failed]")).to_be_hidden()
    expect(page.locator("#id_instruction")).to_have_value(re.compile("Then stop"))
    assert task_id(page) == before
    assert sign_in_beside(page, "annotator") == f"{server.url}/review/"

    page.press("#id_instruction", "Control+Enter")
    expect(page.locator('[name="task_id"]')).not_to_have_value(before)
    expect(page.locator("#signed-out")).to_be_empty()
    wait_until_ready(page)


def test_guidelines_are_kept_on_the_page_and_saved_after_signing_in_beside(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", may_fail=True)
    page.goto(f"{server.url}/review/guidelines/edit/")
    end_session(page)
    page.fill("textarea[name=text]", "Accept what a person would ask for.")

    expect(page.locator("#signed-out")).to_contain_text("You are signed out.")
    sign_in_beside(page, "researcher")
    page.click("main form button[type=submit]")
    page.wait_for_url(lambda url: "edit" not in url)
    expect(page.locator("main")).to_contain_text("Accept what a person would ask for.")


def test_a_part_that_renews_itself_stays_as_it_was(open_page: OpenPage, server: Server):
    page = open_page("researcher", may_fail=True)
    page.goto(f"{server.url}/runs/queue/")
    end_session(page)

    expect(page.locator("#signed-out")).to_contain_text("You are signed out.")
    expect(page.locator("main h1")).to_have_count(1)
    expect(page.locator("#id_username")).to_have_count(0)


@pytest.mark.parametrize(("code", "asks"), [(4401, False), (4404, False), (1011, True)])
def test_a_part_is_not_asked_for_again_after_a_final_close(
    code: int, asks: bool, open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.route_web_socket("**/ws/**", lambda socket: socket.close(code=code))
    page.clock.install()
    page.goto(f"{server.url}/phases/3/")
    expect(page.locator("[data-live]")).to_have_attribute(
        "data-stale", re.compile("refreshed" if asks else "^Not connected$")
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.clock.run_for("00:30")

    assert (f"{server.url}/phases/3/" in asked) is asks
