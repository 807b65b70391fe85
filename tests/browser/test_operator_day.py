"""An operator's day: people, tokens, sites, workers."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Server
from tests.seed import PASSWORD

pytestmark = pytest.mark.browser

FRESH_PASSWORD = "quiet-river-7412"


def test_a_new_annotator_gets_an_account_and_signs_in(
    open_page: OpenPage, server: Server
):
    page = open_page("admin", by_form=True)
    page.click("[data-menu] summary")
    page.get_by_role("link", name="Admin", exact=True).click()
    page.get_by_role("link", name="Users", exact=True).first.click()
    page.get_by_role("link", name="Add user").click()
    page.fill("#id_username", "dana")
    page.fill("#id_password1", FRESH_PASSWORD)
    page.fill("#id_password2", FRESH_PASSWORD)
    page.click("text=Save and continue editing")
    page.select_option("#id_groups_from", label="annotator")
    page.locator("#id_groups_add, #id_groups_add_link").first.click()
    page.click("[name=_save]")
    expect(page.locator(".success")).to_contain_text("dana")

    page.goto(f"{server.url}/")
    page.click("[data-menu] summary")
    page.click("text=Sign out")
    page.goto(f"{server.url}/sign-in/")
    page.fill("#id_username", "dana")
    page.fill("#id_password", FRESH_PASSWORD)
    page.click("button[type=submit]")
    expect(page.locator("nav >> text=Review")).to_be_visible()
    expect(page.locator("nav >> text=Runs")).to_have_count(0)


def test_a_token_is_shown_once_works_and_is_revoked(
    open_page: OpenPage, server: Server
):
    page = open_page("admin")
    page.goto(f"{server.url}/account/tokens/")
    page.fill("#id_name", "nightly export")
    page.locator("[name=scopes]").first.check()
    page.click("text=Create the token")
    token = page.input_value("#secret")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-copy]")
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == token

    ask = page.context.browser
    assert ask is not None
    bare = ask.new_context(extra_http_headers={"Authorization": f"Bearer {token}"})
    url = f"{server.url}/api/tasks/"
    assert bare.request.get(url).status == 200
    page.reload()
    assert token not in page.content()
    assert page.get_by_role("cell", name="nightly export", exact=True).count() == 2
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke").first.click()
    expect(page.locator("main")).to_contain_text("No tokens yet")
    assert bare.request.get(url).status == 401
    bare.close()


def test_sites_and_workers_are_at_hand(open_page: OpenPage, server: Server):
    page = open_page("admin")
    page.goto(f"{server.url}/curriculum/sites/")
    expect(page.locator("main")).to_contain_text("Shop")

    page.goto(f"{server.url}/runs/queue/")
    expect(page.locator("h1")).to_contain_text("Queue")
    expect(page.locator("main")).to_contain_text("worker")
    response = page.request.get(f"{server.url}/healthz")
    assert response.status in (200, 503)
    assert PASSWORD not in response.text()
