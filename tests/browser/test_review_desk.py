from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Request, Route, expect

from tests.browser.conftest import OpenPage, Server
from tests.browser.desk import count_mine, press_and_wait, task_id, wait_until_ready

pytestmark = pytest.mark.browser


def test_an_annotator_reviews_ten_tasks_by_keyboard(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    page.goto(f"{server.url}/review/")
    mine = count_mine(page)
    for keys in (["a"], ["r", "3"], ["a"], ["s"], ["r", "1"], ["a"], ["a"], ["a"]):
        press_and_wait(page, *keys)
    for _ in range(2):
        page.keyboard.press("e")
        page.keyboard.type(" Then stop.")
        expect(page.locator("[data-diff] ins").last).to_have_text("stop.")
        press_and_wait(page, "Control+Enter")

    expect(page.locator(".desk-bar")).to_contain_text(f"{mine + 9} by you today")
    page.keyboard.press("u")
    expect(page.locator("[data-said]")).to_contain_text("Undone:")
    wait_until_ready(page)
    expect(page.locator(".desk-bar")).to_contain_text(f"{mine + 8} by you today")


def test_keys_rest_while_somebody_types(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    before = task_id(page)

    page.keyboard.press("e")
    page.keyboard.type("arsu?12")
    expect(page.locator("#id_instruction")).to_have_value(re.compile(r"arsu\?12$"))
    page.keyboard.press("Escape")

    assert task_id(page) == before
    expect(page.locator("#desk-help")).to_be_hidden()


def test_a_held_key_decides_once(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    first = task_id(page)
    skips = []
    page.on("request", lambda one: skips.append(one) if "decide" in one.url else None)

    page.keyboard.down("s")
    page.keyboard.down("s")
    page.keyboard.down("s")
    page.keyboard.up("s")

    expect(page.locator('[name="task_id"]')).not_to_have_value(first)
    expect(page.locator("[data-said]")).to_have_text("Skipped.")
    wait_until_ready(page)
    assert len(skips) == 1


def test_the_cheat_sheet_opens_and_stops_the_keys(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    before = task_id(page)

    page.keyboard.press("?")
    expect(page.locator("#desk-help")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")

    expect(page.locator("#desk-help")).to_be_hidden()
    assert task_id(page) == before


def test_a_lost_lease_keeps_the_text(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    page.keyboard.press("e")
    page.keyboard.type(" My careful words")
    page.eval_on_selector('[name="token"]', "field => field.value = 'taken'")

    page.keyboard.press("Control+Enter")

    expect(page.get_by_role("alert").first).to_contain_text("gone to someone else")
    expect(page.locator("#id_instruction")).to_have_value(re.compile("careful words$"))


def test_an_ended_lease_is_said_without_an_error(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.clock.install()
    page.goto(f"{server.url}/review/")
    expect(page.locator("[data-lost]")).to_be_hidden()
    page.eval_on_selector('[name="token"]', "field => field.value = 'taken'")

    page.clock.run_for("05:00")

    expect(page.locator("[data-lost-text]")).to_contain_text("no longer")


def test_a_desk_that_is_left_open_lets_its_task_go(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.clock.install()
    page.goto(f"{server.url}/review/")
    page.keyboard.press("e")
    page.keyboard.type(" Then rest.")
    page.clock.run_for("16:00")
    expect(page.locator("[data-away]")).to_contain_text("went back to the queue")
    beats = []
    page.on("request", lambda one: beats.append(one) if "renew" in one.url else None)
    page.clock.run_for("30:00")
    assert beats == []

    page.click("[data-again]")

    expect(page.locator("[data-away]")).to_be_hidden()
    expect(page.locator("#id_instruction")).to_have_value(re.compile(r"Then rest\.$"))
    with page.expect_request("**/review/renew/"):
        page.clock.run_for("02:00")


def test_a_task_that_somebody_else_took_meanwhile_is_said(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.clock.install()
    page.goto(f"{server.url}/review/")
    page.clock.run_for("16:00")
    expect(page.locator("[data-away]")).to_be_visible()
    page.eval_on_selector('[name="token"]', "field => field.value = 'taken'")

    page.click("[data-again]")

    expect(page.locator("[data-lost-text]")).to_contain_text("no longer")
    expect(page.locator("[data-away]")).to_be_hidden()


def test_a_desk_keeps_its_task_while_somebody_is_there(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.clock.install()
    page.goto(f"{server.url}/review/")
    for place in (100, 200, 300):
        page.clock.run_for("09:00")
        page.mouse.move(place, 100)

    with page.expect_request("**/review/renew/"):
        page.clock.run_for("09:00")

    expect(page.locator("[data-away]")).to_be_hidden()


def test_the_desk_works_without_scripts(open_page: OpenPage, server: Server):
    page = open_page("researcher", scripts=False)
    page.goto(f"{server.url}/review/")
    before = task_id(page)
    page.click('button[value="reject"]')
    expect(page.get_by_role("alert")).to_contain_text("Choose the reason")
    page.check('[name="reason"][value="ambiguous"]')
    page.click('button[value="reject"]')

    expect(page.locator('[name="task_id"]')).not_to_have_value(before)
    expect(page.locator("#toasts")).to_contain_text("Rejected")


def test_a_server_that_is_away_costs_nothing_typed(open_page: OpenPage, server: Server):
    page = open_page("researcher", may_fail=True)
    away = [True]
    # Before the page is opened: an open page takes up interception a little later.
    page.route(
        "**/review/decide/",
        lambda route: route.abort() if away else route.continue_(),
    )
    page.goto(f"{server.url}/review/")
    before = task_id(page)
    page.keyboard.press("e")
    page.keyboard.type(" Then wait.")

    page.keyboard.press("Control+Enter")

    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved")
    expect(page.locator("[data-said]")).to_be_empty()
    expect(page.locator("#id_instruction")).to_have_value(re.compile(r"Then wait\.$"))
    assert task_id(page) == before
    away.clear()
    press_and_wait(page, "Control+Enter")
    expect(page.locator("[data-failed]")).to_be_hidden()


def test_a_decision_whose_answer_takes_long_is_said_to_be_saved(
    open_page: OpenPage, server: Server
):
    page, said = open_page("researcher"), "[data-said]"
    held: list[Route] = []
    # Before the page is opened: an open page takes up interception a little later.
    page.route("**/review/decide/", lambda route: held.append(route))
    page.goto(f"{server.url}/review/")

    page.keyboard.press("s")

    expect(page.locator(said)).to_have_text("Saving…")
    held[0].continue_()
    expect(page.locator(said)).to_have_text("Skipped.")


def sent(request: Request) -> dict[str, str]:
    return dict(parse_qsl(request.post_data or ""))


def test_only_time_in_front_of_the_page_counts(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.clock.install()
    page.goto(f"{server.url}/review/")
    wait_until_ready(page)
    page.clock.run_for(10_000)
    page.evaluate(
        "document.hasFocus = () => false; window.dispatchEvent(new Event('blur'))"
    )
    page.clock.run_for(60_000)
    page.evaluate(
        "document.hasFocus = () => true; window.dispatchEvent(new Event('focus'))"
    )
    page.clock.run_for(5_000)

    with page.expect_request("**/review/decide/") as request:
        page.keyboard.press("s")

    assert 15 <= float(sent(request.value)["seconds_spent"]) < 20


def test_leaving_a_task_to_others_asks_for_a_note(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    before = task_id(page)

    page.keyboard.press("o")
    expect(page.locator("#id_note")).to_be_focused()
    page.keyboard.type("not my site")
    press_and_wait(page, "Control+Enter")

    assert task_id(page) != before
    page.keyboard.press("u")
    expect(page.locator("[data-said]")).to_contain_text("Undone:")


def test_undo_goes_back_with_what_was_entered(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/")
    before = task_id(page)
    page.keyboard.press("e")
    page.keyboard.type(" Then undo.")
    press_and_wait(page, "Control+Enter")

    press_and_wait(page, "u")

    assert task_id(page) == before
    expect(page.locator("#id_instruction")).to_have_value(re.compile(r"undo\.$"))
    expect(page.locator("[data-said]")).to_contain_text("Edited and accepted")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("[data-draft-text]")).to_contain_text("Then undo.")
    page.click("[data-throw]")


def test_keys_can_be_chosen(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/review/keys/")
    page.fill("#id_skip", "x")
    with page.expect_navigation():
        page.click("text=Save keys")
    before = task_id(page)

    page.keyboard.press("s")
    assert task_id(page) == before
    press_and_wait(page, "x")

    page.goto(f"{server.url}/review/keys/")
    with page.expect_navigation():
        page.click("text=Reset to defaults")
    press_and_wait(page, "s")


IN_SIGHT = """part => {
    const {top, bottom} = part.getBoundingClientRect();
    return top >= 52 && bottom <= innerHeight;
}"""


def test_on_a_telephone_the_next_instruction_comes_into_sight(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/review/")
    page.locator('button[value="skip"]').scroll_into_view_if_needed()
    before = task_id(page)

    page.click('button[value="skip"]')

    expect(page.locator('[name="task_id"]')).not_to_have_value(before)
    wait_until_ready(page)
    assert page.eval_on_selector("#id_instruction", IN_SIGHT)


def test_a_question_stands_beside_what_answers_it(open_page: OpenPage, server: Server):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/review/")

    page.click('button[value="reject"]')
    assert page.eval_on_selector('[data-ask="reason"]', IN_SIGHT)
    page.keyboard.press("Escape")
    page.click('button[value="flag"]')

    expect(page.locator('[data-ask="reason"]')).to_be_empty()
    expect(page.locator('[data-ask="note"]')).to_contain_text("a researcher")
    assert page.eval_on_selector('[data-ask="note"]', IN_SIGHT)


def test_an_empty_desk_wakes_up_by_itself(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.clock.install()
    page.goto(f"{server.url}/review/?phase=999999")
    expect(page.locator("[data-empty]")).to_be_visible()
    # As if a phase had reached its review since.
    page.eval_on_selector("[data-empty]", "part => part.dataset.empty = '/review/'")

    page.clock.run_for(16_000)

    expect(page.locator("#id_instruction")).to_be_visible()
