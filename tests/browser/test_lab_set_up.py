"""A lab sets its WebArena up, step by step, as docs/webarena.md tells it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import ROOT
from tests.seed import PASSWORD

pytestmark = pytest.mark.browser
# A check opens a browser, on a machine that may be busy.
LONG = 90_000
SHOP, FORUM = "WebArena shop", "WebArena forum"


@pytest.fixture(scope="module")
def lab() -> Iterator[dict[str, str]]:
    """Where the dashboard and the stand-ins are."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.lab_server"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        # Its worker ends what it has begun first.
        process.wait(timeout=LONG / 1000)
        process.stdout.close()


@pytest.fixture
def page(chromium: Browser, lab: dict[str, str]) -> Iterator[Page]:
    """The page of an administrator, watched for script errors."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{lab['url']}/sign-in/")
    page.fill("#id_username", "admin")
    page.fill("#id_password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(f"{lab['url']}/")
    yield page
    context.close()
    assert problems == []


def find_card(page: Page, name: str) -> Locator:
    heading = page.get_by_role("heading", name=name, exact=True)
    return page.locator("section", has=heading)


def set_address(page: Page, lab: dict[str, str], name: str, url: str) -> None:
    """Set the address of a site from the list, and come back to it."""
    page.goto(f"{lab['url']}/curriculum/sites/")
    card = page.locator(
        "section", has=page.get_by_role("heading", name=name, exact=True)
    )
    card.get_by_role("link", name="Set its address").click()
    page.fill("#id_base_url", url)
    page.click("[name=_save]")
    expect(page.locator(".success")).to_contain_text(name)


def open_set_up(page: Page, lab: dict[str, str], name: str) -> None:
    page.goto(f"{lab['url']}/curriculum/sites/")
    card = page.locator(
        "section", has=page.get_by_role("heading", name=name, exact=True)
    )
    card.get_by_role("link", name="Set it up").click()
    expect(page.get_by_role("heading", name="Set-up")).to_be_visible()


def step(page: Page, name: str) -> str:
    """Return what the set-up says of one of its steps."""
    line = page.locator("#set-up .health li", has_text=name).first
    return line.inner_text()


def check(page: Page, wanted: str) -> None:
    """Press the button and wait until the page, by itself, shows what was found."""
    page.get_by_role("button", name="Check now").click()
    expect(page.locator("#set-up .health")).to_contain_text(wanted, timeout=LONG)


def launch(page: Page, lab: dict[str, str], name: str) -> None:
    page.goto(f"{lab['url']}/runs/new/")
    page.fill("#id_name", name)
    page.get_by_role("button", name="Create and launch phase 1").click()


def control(url: str, what: str) -> None:
    httpx.post(f"{url}/control/{what}", trust_env=False).raise_for_status()


def test_a_lab_sets_up_its_sites_step_by_step(page: Page, lab: dict[str, str]):
    # 1. Addresses. The import has written down the sites.
    set_address(page, lab, SHOP, lab["shop"])
    set_address(page, lab, FORUM, lab["forum"])

    # 2. What each step still needs.
    open_set_up(page, lab, SHOP)
    assert "1 instance." in step(page, "Address")
    assert "SITE_SIGN_INS has an entry for it." in step(page, "Sign-in")
    assert "SITE_RESETS has an entry for each instance." in step(page, "Reset")
    assert "Not every instance has been checked" in step(page, "Check")

    # 3. A second instance, which still has the first one's base address.
    page.fill("#id_url", lab["second"])
    page.get_by_role("button", name="Add it").click()
    check(
        page,
        f"It leads to {lab['shop']}. In this instance, set its own address",
    )

    # 4. Nobody launches on it.
    launch(page, lab, "too early")
    expect(page.locator("main")).to_contain_text("The sites are not ready.")
    expect(page.locator("main")).to_contain_text(
        "In this instance, set its own address"
    )

    # 5. The base address is set; the check signs in to both.
    control(lab["second"], "base")
    open_set_up(page, lab, SHOP)
    check(page, "Every instance answers, signed in where it should be.")
    expect(page.get_by_text("signed in", exact=True)).to_have_count(2)

    # 6. The first is changed behind the page; the check sees it, the reset mends it.
    control(lab["shop"], "change")
    check(page, "The text that first_state names is not there. Reset it.")
    first = page.locator("tbody tr").first
    first.get_by_role("button", name="Reset it now").click()
    expect(page.locator("body")).to_contain_text(
        "will be reset once no episode uses it"
    )
    open_set_up(page, lab, SHOP)
    check(page, "Every instance answers, signed in where it should be.")

    # 7. The forum is on the same host and names its cookie alike.
    open_set_up(page, lab, FORUM)
    check(page, "Every instance answers")
    expect(page.locator("#set-up")).to_contain_text("both on 127.0.0.1")
    expect(page.locator("#set-up")).to_contain_text("PHPSESSID")

    # 8. The launch forecasts the resets, measured by now, and begins.
    page.goto(f"{lab['url']}/runs/new/")
    page.fill("#id_name", "first run")
    page.get_by_role("button", name="Check", exact=True).click()
    resets = page.locator("section", has_text="Resets of external sites in a phase")
    expect(resets.last).to_contain_text(SHOP, timeout=LONG)
    launch(page, lab, "first run")
    expect(page.locator("h1")).to_contain_text("Phase 1", timeout=LONG)
    expect(page.locator("main")).to_contain_text("first run")
