"""The other languages in a real browser: the switch, the scripts' words, the room."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser
# The fullest pages: if these have room, the others do.
PAGES = [
    "/",
    "/curriculum/value-band/",
    "/curriculum/70/",
    "/review/",
    "/runs/new/",
    "/runs/1/",
    "/phases/2/",
    "/trajectories/1/",
    "/judges/",
    "/charts/",
    "/account/tokens/",
]


def test_scripts_and_dates_speak_the_chosen_language(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=1280)
    page.goto(f"{server.url}/runs/1/")

    page.get_by_role("button", name="Español").click()

    expect(page).to_have_url(f"{server.url}/runs/1/")
    expect(page.locator("html")).to_have_attribute("lang", "es")
    theme = page.locator("[data-theme-name]").first
    expect(theme).to_have_text(re.compile("^Tema: "))
    assert page.evaluate("gettext('Pause')") == "Pausar"


@pytest.mark.parametrize("language", ["Español", "简体中文"])
def test_no_page_overflows_a_phone_in_another_language(
    language: str, open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/runs/")
    page.get_by_role("button", name=language).click()
    expect(page.locator("html")).not_to_have_attribute("lang", "en")

    for path in PAGES:
        page.goto(server.url + path)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{path} is {wide} px too wide"
