from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser


def inside_frame(page: Page) -> FloatRect:
    frame = page.frame_locator('.step.is-current [data-side="before"] iframe')
    box = frame.locator("header input").bounding_box()
    assert box is not None
    return box


def expect_step(page: Page, number: int, count: int = 4) -> None:
    title = page.locator(".step.is-current h2")
    expect(title).to_contain_text(f"Step {number} of {count}")
    expect(page.locator("[data-position]")).to_have_text(f"{number} / {count}")


def press(page: Page, keys: Sequence[str]) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_the_target_is_outlined_on_the_recorded_page(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    outline = page.locator(".step.is-current .target rect").bounding_box()
    assert outline is not None
    field = inside_frame(page)

    assert abs(outline["x"] - field["x"]) < 6
    assert abs(outline["y"] - field["y"]) < 6
    assert abs(outline["width"] - field["width"]) < 6
    assert abs(outline["height"] - field["height"]) < 6


@pytest.mark.parametrize(
    ("keys", "number"),
    [
        (["ArrowRight", "l"], 3),
        (["l", "l", "l", "l", "h"], 3),
        (["$", "ArrowLeft"], 3),
        (["End", "0"], 1),
        (["Control+l", "Alt+l", "Escape"], 1),
    ],
)
def test_keys_lead_from_step_to_step(
    keys: list[str], number: int, open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    press(page, keys)

    expect_step(page, number)


def test_the_strips_are_folded_away_for_every_replay(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    strip = page.locator(".film-table tbody .film-cell").first
    expect(strip).to_be_visible()
    page.get_by_role("button", name="Strips").click()
    expect(strip).to_be_hidden()
    page.reload()
    expect(page.get_by_role("button", name="Strips")).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(strip).to_be_hidden()


def test_only_the_page_that_will_be_seen_is_loaded_ahead(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    ahead = page.locator('[data-step="3"]')

    before = ahead.locator('[data-side="before"] iframe')
    expect(before).to_have_attribute("loading", "eager")
    after = ahead.locator('[data-side="after"] iframe')
    expect(after).to_have_attribute("loading", "lazy")


def test_each_step_has_an_address_to_pass_on(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    press(page, ["l", "l"])
    expect(page).to_have_url(re.compile("/trajectories/1/steps/3/$"))
    page.reload()
    expect_step(page, 3)

    page.goto(f"{server.url}/trajectories/2/?training=1#step-4")
    expect_step(page, 4)
    page.keyboard.press("h")
    expect(page).to_have_url(re.compile(r"/trajectories/2/steps/3/\?training=1$"))


def test_the_film_marks_the_step_and_leads_to_others(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    page.locator('a[data-go="3"]').click()
    expect_step(page, 3)
    expect(page.locator(".film [aria-current=step]")).to_contain_text("3")

    page.locator('td[data-col="2"]').last.click()
    expect_step(page, 2)
    page.locator("[data-scrubber]").fill("4")
    expect_step(page, 4)


def test_large_letters_lead_from_episode_to_episode(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/2/")
    page.keyboard.press("L")
    expect(page).to_have_url(re.compile("/trajectories/3/"))
    expect_step(page, 1)
    page.keyboard.press("H")

    expect(page).to_have_url(re.compile("/trajectories/2/"))


def test_the_film_plays_at_the_chosen_speed_and_stops_at_the_end(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    press(page, [">", ">", ">"])
    expect(page.locator("[data-speed]")).to_have_value("8")
    page.keyboard.press(" ")

    expect_step(page, 4)
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "false")


def test_tabs_are_chosen_by_number_and_stay_chosen(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    page.keyboard.press("3")
    panel = page.locator(".step.is-current [data-panel=prompt]")
    expect(panel).to_contain_text("Task Instruction:")
    page.keyboard.press("l")
    expect(panel).to_be_visible()
    expect(panel.locator(".message-assistant")).to_have_count(1)

    page.get_by_role("tab", name="Prompt").press("ArrowLeft")
    expect(page.locator(".step.is-current .is-target")).to_contain_text("mug")
    expect_step(page, 2)


def test_keys_rest_in_a_dialog_and_can_be_switched_off(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    press(page, ["?", "l"])
    page.get_by_label("Single keys are on").uncheck()
    press(page, ["Escape", "l"])
    expect_step(page, 1)

    page.keyboard.press("ArrowRight")
    expect_step(page, 2)


def test_a_step_that_cannot_be_loaded_says_so_and_can_be_tried_again(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", may_fail=True)
    page.route("**/steps/3/", lambda route: route.abort())
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    page.keyboard.press("l")
    expect_step(page, 2)
    page.keyboard.press("l")

    position = page.locator("[data-position]")
    expect(position).to_have_text(re.compile("Step 3 could not be loaded"))
    page.unroute("**/steps/3/")
    page.keyboard.press("l")
    expect_step(page, 3)


def test_the_focus_moves_along_with_the_step(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    page.locator(".step.is-current").get_by_role("tab", name="Prompt").click()
    page.keyboard.press("l")
    expect_step(page, 2)

    prompt = page.locator(".step.is-current").get_by_role("tab", name="Prompt")
    expect(prompt).to_be_focused()


def test_a_recorded_page_cannot_run_or_load_anything(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    source = page.locator("iframe").first.get_attribute("src") or ""

    assert source.startswith(f"{server.replay_url}/recorded/")
    answer = page.request.get(source.replace(server.replay_url, server.url))
    assert answer.status == 404


def test_every_part_of_every_step_is_there_without_scripts(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator", scripts=False)
    page.goto(f"{server.url}/trajectories/1/")
    page.locator(".film a", has_text="Click “Cart”").click()

    expect(page.locator(".step h2")).to_contain_text("Step 4 of 4")
    for title in ("Page", "What the model saw", "Prompt", "Answer"):
        heading = page.locator(".step").get_by_role("heading", name=title, exact=True)
        expect(heading).to_be_visible()


def test_a_person_judges_an_episode_without_leaving_the_step(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    page.goto(f"{server.url}/trajectories/1/")
    expect_step(page, 1)
    press(page, ["l", "v"])
    expect(page.locator(".verdict-form button").first).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator(".opinions")).to_contain_text("annotator")
    expect(page.locator(".verdict-form [aria-pressed=true]")).to_have_text("Success")
    expect_step(page, 2)


def test_who_judges_first_sees_the_others_verdicts_afterwards(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/?judge=first")
    expect_step(page, 4)
    expect(page.locator(".verdicts")).not_to_contain_text("P(YES)")
    press(page, ["h"])
    expect_step(page, 3)
    page.locator(".verdict-form").get_by_role("button", name="Failure").click()

    expect(page.locator(".opinions")).to_contain_text("P(YES)")
    expect(page.locator(".opinions")).to_contain_text("before looking")
    expect_step(page, 3)


def test_two_episodes_move_together(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/1/")
    page.locator(".others a").first.click()
    expect(page).to_have_url(re.compile("/trajectories/1/compare/"))
    expect_step(page, 1)
    press(page, ["l", "l"])
    expect_step(page, 3)

    calls = page.locator(".step.is-current [data-panel=page] .side-call")
    expect(calls).to_have_count(2)
    expect(calls.nth(0)).to_contain_text("Click [12]")
    expect(calls.nth(1)).to_contain_text("Click [12]")
    expect(page).to_have_url(re.compile("/steps/3/$"))


def test_a_recorded_page_can_be_read_on_a_telephone(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/trajectories/1/steps/2/")
    expect_step(page, 2)
    step = page.locator(".step.is-current")
    shown = step.locator('[data-side="before"]')
    fitted = shown.locator("iframe").bounding_box()

    step.get_by_role("button", name="Full size").click()

    full = shown.locator("iframe").bounding_box()
    frame = shown.locator("[data-frame]").bounding_box()
    target = shown.locator(".target rect").bounding_box()
    assert fitted and full and frame and target
    assert fitted["width"] < 390 < full["width"] == 1280
    middle = target["x"] + target["width"] / 2
    assert frame["x"] < middle < frame["x"] + frame["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
