"""A researcher's day, from launching a run to the rows behind a chart."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser


def accept_questions(page: Page) -> Page:
    """Answer yes to what the page asks before it stops or deletes."""
    page.on("dialog", lambda dialog: dialog.accept())
    return page


def launch(page: Page, server: Server, name: str) -> None:
    """From the list of runs to the page of a phase that has been launched."""
    page.goto(f"{server.url}/runs/")
    page.click("main >> text=New run")
    page.fill("#id_name", name)
    page.fill("[name='algorithm.beta']", "0.3")
    expect(page.locator("[data-changed]")).not_to_be_empty()
    page.click("text=Create and launch phase 1")
    expect(page.locator("h1")).to_contain_text("Phase 1")
    page.wait_for_load_state("networkidle")


def test_a_run_is_launched_stopped_changed_and_resumed(
    open_page: OpenPage, server: Server
):
    page = accept_questions(open_page("researcher", by_form=True))
    launch(page, server, "day-one")
    expect(page.locator("h1 .badge")).to_have_text("Planned")

    page.click("button:has-text('Stop')")
    expect(page.locator("h1 .badge")).to_have_text("Stopped")
    page.click("text=Edit and resume")
    expect(page.locator("main")).to_contain_text("Kept")
    page.fill("[name='rollout.contexts']", "3")
    page.click("button:has-text('Check')")
    expect(page.locator("section[aria-labelledby=changes-title]")).to_contain_text("3")
    page.click("text=Resume with these settings")

    expect(page.locator("h1 .badge")).not_to_have_text("Stopped")
    page.click("text=day-one")
    expect(page.locator("main")).to_contain_text("0.3")


def test_a_sweep_makes_runs_that_are_compared_by_its_setting(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/runs/new/")
    page.fill("#id_name", "swept")
    unchanged = page.locator("[data-changed]", has_text="Every setting is as in")
    expect(unchanged).to_be_visible()
    page.select_option("[name='sweep_over']", "algorithm.beta")
    page.fill("[name='sweep_values']", "0.1, 1")
    expect(unchanged).to_be_visible()
    page.click("button:has-text('Create the run')")

    expect(page.locator("main")).to_contain_text("swept beta 0.1")
    expect(page.locator("main")).to_contain_text("swept beta 1")
    expect(page.locator("main")).to_contain_text("algorithm.beta")


def test_two_runs_are_compared_side_by_side(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    launch(page, server, "day-two")
    page.goto(f"{server.url}/runs/")
    compare = page.locator("button:has-text('Compare')")
    expect(compare).to_be_disabled()
    for name in ("first-light", "day-two"):
        page.get_by_label(f"Compare {name}").check()
    expect(compare).to_be_enabled()
    page.click("button:has-text('Compare')")

    expect(page.locator("h1")).to_have_text("Compare runs")
    expect(page.locator("section[aria-labelledby=config-title]")).to_contain_text(
        "algorithm.beta"
    )


def test_a_chart_leads_to_its_episodes_and_they_to_a_replay(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/runs/")
    page.get_by_role("link", name="first-light").first.click()
    page.click("main >> text=Charts")
    page.click("main details summary >> nth=0")
    page.click("main details table a >> nth=0")
    expect(page.locator("h1")).to_have_text("Ledger of test tasks")
    page.click("main .page-head a.button")

    expect(page.locator("h1")).to_have_text("Trajectories")
    expect(page).to_have_url(re.compile("purpose=baseline"))
    page.click("main tbody a >> nth=0")
    expect(page).to_have_url(re.compile(r"/trajectories/\d+/"))
    page.wait_for_load_state()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/trajectories/\d+/steps/\d+/"))


def test_what_a_chart_shows_is_downloaded_as_it_stands(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    page.click("main details summary >> nth=0")
    shown = page.locator("main table >> nth=0").locator("tbody tr")
    count = shown.count()
    with page.expect_download() as download:
        page.click("a[href*='success.csv']")

    lines = download.value.path().read_text("utf-8").strip().splitlines()
    assert len(lines) == count + 1
    for line, row in zip(lines[1:], shown.all(), strict=True):
        assert line.split(",")[:2] == row.inner_text().split("\t")[:2]


@pytest.mark.parametrize(("format", "first"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_a_chart_is_saved_as_a_picture(
    format: str, first: bytes, open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    expect(page.locator("#success .main-svg").first).to_be_visible()
    with page.expect_download() as download:
        page.click(f'[data-picture="success"][data-format="{format}"]')

    assert download.value.suggested_filename == f"success.{format}"
    assert download.value.path().read_bytes().startswith(first)


def test_a_downloaded_chart_hides_nothing_under_its_legend(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    with page.expect_download() as download:
        page.click('[data-picture="endings"][data-format="svg"]')

    page.set_content(download.value.path().read_text("utf-8"))

    legend = page.locator(".legend .bg").bounding_box()
    title = page.locator(".g-gtitle").bounding_box()
    assert legend
    assert title
    assert legend["y"] > title["y"] + title["height"]


MANY_SERIES = """() => {
  const script = document.getElementById("figure-success");
  const figure = JSON.parse(script.textContent);
  figure.data = [..."ABCDEFGHIJ"].map((name) =>
    ({ ...figure.data[0], name: `${name}, a run with a long name, phase 1` }));
  script.textContent = JSON.stringify(figure);
  document.dispatchEvent(new Event("themechange"));
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_names_of_many_series_leave_room_for_the_plot(
    width: int, open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{server.url}/charts/")
    plot = page.locator("#success .nsewdrag")
    expect(plot).to_be_visible()

    page.evaluate(MANY_SERIES)

    expect(page.locator("#success .legendtext")).to_have_count(10)
    box = plot.bounding_box()
    assert box
    assert box["height"] > 180
