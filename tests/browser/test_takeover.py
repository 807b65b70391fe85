"""A real episode: its trace, and taking over at its last step with a real worker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.conftest import ROOT
from tests.seed import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONG = 60_000


@pytest.fixture(scope="module")
def replay() -> Iterator[str]:
    """The address of an episode's last step, where its agent gave up."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.takeover_server"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        episode, steps = told["trajectory"], told["steps"]
        yield f"{told['url']}/trajectories/{episode}/steps/{steps}/"
    finally:
        process.terminate()
        process.wait(timeout=40)
        process.stdout.close()


@pytest.fixture
def step(chromium: Browser, replay: str) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(replay)
    page.fill("#id_username", "annotator")
    page.fill("#id_password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(replay)
    yield page
    context.close()
    assert problems == []


def take_over(page: Page) -> None:
    page.get_by_role("button", name="Take over from here").click()
    expect(page.locator(".takeover-state")).to_contain_text("Your turn", timeout=LONG)


def test_a_person_finishes_the_task_and_keeps_it(step: Page) -> None:
    take_over(step)
    step.locator("[data-mark]", has_text="Add to cart").click()
    expect(step.get_by_role("heading", name="Step 4")).to_be_visible(timeout=LONG)
    step.get_by_role("button", name="Finish and be judged").press("Enter")
    expect(step.get_by_role("heading", name="Solved")).to_be_focused(timeout=LONG)
    step.get_by_role("button", name="Keep as demonstration").click()
    step.get_by_role("link", name="Replay of this attempt").click()
    expect(step.get_by_text("By hand, annotator")).to_be_visible()
    expect(step.locator(".film")).to_contain_text("4")


def test_an_action_by_the_form_and_one_that_fails(step: Page) -> None:
    take_over(step)
    step.get_by_text("Write the action yourself").click()
    step.get_by_label("Action line").fill('do(action="Click", element="900")')
    step.get_by_role("button", name="Do it").click()
    failed = step.locator(".notice", has_text="The last action failed")
    expect(failed).to_be_visible(timeout=LONG)
    step.get_by_label("Element").select_option("7 · a · Cart")
    step.get_by_role("button", name="Do it").press("Enter")
    expect(step.locator(".takeover-state")).to_contain_text("/cart", timeout=LONG)
    expect(step.get_by_role("button", name="Do it")).to_be_focused()
    step.get_by_role("button", name="Leave").click()
    expect(step.get_by_role("heading", name="Left")).to_be_visible(timeout=LONG)


def test_an_action_that_does_not_arrive_says_so_and_can_be_sent_again(
    step: Page,
) -> None:
    take_over(step)
    step.get_by_label("Element").select_option("7 · a · Cart")
    step.route("**/act/", lambda route: route.abort())
    step.get_by_role("button", name="Do it").click()
    expect(step.get_by_text("Not saved. Try again.")).to_be_visible()

    step.unroute("**/act/")
    step.get_by_role("button", name="Do it").click()

    expect(step.locator(".takeover-state")).to_contain_text("/cart", timeout=LONG)
    step.get_by_role("button", name="Leave").click()
    expect(step.get_by_role("heading", name="Left")).to_be_visible(timeout=LONG)


def test_the_trace_opens_in_its_viewer_on_an_origin_without_cookies(
    step: Page,
) -> None:
    elsewhere: list[Response] = []
    own = ("http://localhost:", "http://127.0.0.1:", "data:", "blob:")
    step.context.on(
        "response",
        lambda found: None if found.url.startswith(own) else elsewhere.append(found),
    )
    with step.context.expect_page() as opened:
        step.get_by_role("link", name="Open trace").click()
    viewer = opened.value
    expect(viewer.get_by_text("Exit", exact=False).first).to_be_attached(timeout=LONG)
    expect(viewer.get_by_text("1: # Element", exact=False).first).to_be_visible(
        timeout=LONG
    )
    viewer.get_by_text("1: # Element", exact=False).first.click()
    snapshot = viewer.frame_locator("iframe.snapshot-visible")
    expect(snapshot.get_by_text("Wishlist").first).to_be_visible(timeout=LONG)
    # What a recorded page asks for comes out of the trace, not from its site.
    assert all(found.from_service_worker for found in elsewhere)
    assert "127.0.0.1" in viewer.url
    assert step.context.cookies(viewer.url) == []
