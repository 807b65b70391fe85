"""The tour of a first sign-in, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser


def start(page: Page, server: Server) -> None:
    """Start the tour as Help does; the example's people have ended theirs."""
    page.goto(f"{server.url}/help/")
    page.get_by_role("button", name="Start the tour").click()
    page.wait_for_url(f"{server.url}/")


@pytest.mark.parametrize(
    ("who", "width"),
    [("annotator", 1280), ("researcher", 1280), ("admin", 1280), ("researcher", 390)],
)
def test_the_tour_points_to_real_elements_and_is_remembered(
    who: str, width: int, open_page: OpenPage, server: Server
):
    page = open_page(who, width=width)
    start(page, server)
    tour = page.get_by_role("dialog", name="Tour")
    count = page.locator("[data-stop]").count()
    for number in range(1, count + 1):
        expect(tour).to_contain_text(f"{number} of {count}")
        expect(page.locator(".tour-target")).to_be_in_viewport()
        box = tour.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= 900
        if number < count:
            tour.get_by_role("button", name="Next").click()
    with page.expect_response("**/help/tour/end/"):
        tour.get_by_role("button", name="Done").click()
    expect(tour).to_be_hidden()
    expect(page.locator(".tour-target")).to_have_count(0)
    page.reload()

    expect(page.locator("[data-tour]")).to_have_count(0)


def test_the_keyboard_walks_the_tour_and_escape_ends_it(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    start(page, server)
    tour = page.get_by_role("dialog", name="Tour")
    expect(tour.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(tour).to_contain_text("2 of 5")
    page.keyboard.press("ArrowLeft")
    expect(tour).to_contain_text("1 of 5")

    with page.expect_response("**/help/tour/end/"):
        page.keyboard.press("Escape")

    expect(tour).to_be_hidden()


def test_escape_closes_an_open_menu_and_leaves_the_tour(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    start(page, server)
    page.locator("[data-menu] summary").click()
    page.keyboard.press("Escape")

    expect(page.locator("[data-menu][open]")).to_have_count(0)
    expect(page.get_by_role("dialog", name="Tour")).to_be_visible()


def test_the_tour_shifts_nothing(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/")
    expect(page.locator(".home-health")).to_contain_text("Disk")
    height = page.evaluate("document.documentElement.scrollHeight")
    start(page, server)
    expect(page.locator(".home-health")).to_contain_text("Disk")
    expect(page.get_by_role("dialog", name="Tour")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollHeight") == height


def test_home_has_the_first_steps_instead_where_there_are_no_scripts(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator", scripts=False)
    start(page, server)

    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
