"""Parts of pages that are fetched by themselves, in a real browser."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser


def move_band_handle(page: Page) -> None:
    with page.expect_response("**/curriculum/value-band/?*") as answer:
        page.locator("#id_low").press("ArrowRight")
    moved = answer.value.url
    expect(page).to_have_url(moved)


def test_back_leaves_the_value_band_at_once_and_comes_back_to_a_whole_page(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/curriculum/")
    page.goto(f"{server.url}/curriculum/value-band/")
    move_band_handle(page)
    move_band_handle(page)
    last = page.url

    page.go_back()
    expect(page).to_have_url(f"{server.url}/curriculum/")
    page.go_forward()
    expect(page).to_have_url(last)
    expect(page.locator("main h1")).to_be_visible()


def test_a_page_of_the_history_is_asked_for_as_a_whole(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/curriculum/value-band/")
    page.evaluate("history.replaceState({htmx: true}, '')")
    page.evaluate("history.pushState({htmx: true}, '', '/curriculum/')")

    page.go_back()

    expect(page.locator("main h1")).to_have_text("Neither too hard nor too easy")
    expect(page.locator("main h1")).to_be_visible()


def test_a_verdict_that_does_not_arrive_says_so_and_can_be_sent_again(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", may_fail=True)
    page.goto(f"{server.url}/trajectories/1/")
    verdict = page.locator(".verdict-form").get_by_role("button", name="Failure")
    page.route("**/verdict/", lambda route: route.abort())
    verdict.click()
    told = page.get_by_text("Not saved. Try again.")
    expect(told).to_be_in_viewport()

    page.unroute("**/verdict/")
    verdict.click()

    expect(page.locator(".verdict-form [aria-pressed=true]")).to_have_text("Failure")
    expect(told).to_have_count(0)


def test_an_address_that_is_being_typed_outlives_a_refresh(
    open_page: OpenPage, server: Server
):
    database = sqlite3.connect(server.database, timeout=20)
    database.execute(
        "UPDATE curriculum_phase SET status='stopped', resume_status='collecting', "
        "served_uri='http://models.example/v1#policy' WHERE id=3"
    )
    database.commit()
    database.close()
    page = open_page("researcher")
    page.goto(f"{server.url}/phases/3/")
    address = page.get_by_label("Address and model")
    address.fill("http://other.example/v1")
    address.press("Home")
    page.evaluate("document.querySelector('main h1').dataset.old = ''")
    page.evaluate("htmx.ajax('GET', location.pathname, {target: '[data-live]'})")
    expect(page.locator("main h1[data-old]")).to_have_count(0)

    expect(address).to_be_focused()
    page.keyboard.type("x")
    expect(address).to_have_value("xhttp://other.example/v1")


def test_paper_is_white_and_has_no_menu(open_page: OpenPage, server: Server):
    page = open_page("researcher", theme="dark")
    page.context.add_cookies([{"name": "theme", "value": "dark", "url": server.url}])
    page.goto(f"{server.url}/runs/new/")
    page.emulate_media(media="print")

    colour = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert colour == "rgb(25, 32, 43)"
    for place in (".top", ".foot", ".sticky-actions"):
        expect(page.locator(place)).to_be_hidden()
    page.goto(f"{server.url}/charts/")
    label = page.locator("#success .main-svg .xtick text").first
    expect(label).to_have_css("fill", "rgb(83, 93, 108)")
    page.emulate_media(media="screen")
    expect(label).to_have_css("fill", "rgb(163, 173, 187)")
    page.emulate_media(media="print")
    expect(label).to_have_css("fill", "rgb(83, 93, 108)")


def test_a_table_that_scrolls_is_reached_by_keyboard(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/runs/compare/?run=1&run=2")
    tables = page.locator(".table-wrap:has(.compare)")
    expect(tables.first).to_be_visible()
    for table in tables.all():
        table.focus()
        expect(table).to_be_focused()
        expect(table).to_have_accessible_name(re.compile("."))


def test_what_went_wrong_with_many_at_once_stands_clear_of_the_filters(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/bulk/")
    page.get_by_label("All of these").check()
    page.locator(".bulk-actions").get_by_role("button", name="Reject").click()
    wrong = page.get_by_role("alert").bounding_box()
    filters = page.locator(".filter-fold").bounding_box()

    assert wrong and filters
    assert filters["y"] - (wrong["y"] + wrong["height"]) >= 8


def test_an_event_of_another_day_says_which(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/phases/1/")
    when = page.locator(".log time").first
    today = when.inner_text()

    page.clock.set_fixed_time(datetime.now(tz=UTC) + timedelta(days=2))
    page.reload()

    assert re.fullmatch(r"\d\d:\d\d:\d\d [AP]M", today)
    expect(when).to_have_text(re.compile(rf"[A-Z][a-z]{{2}} \d+, {today}"))
