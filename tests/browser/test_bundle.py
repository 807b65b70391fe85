from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import OpenPage, Server
from webrl_site.recorded.inert import make_inert

pytestmark = pytest.mark.browser

HOSTILE = """<html><body onload="top.document.title='run'"><p>Bait</p>
<script>parent.document.title = 'run'; fetch('http://127.0.0.1:9/')</script>
<img src="http://127.0.0.1:9/x.gif" onerror="parent.document.title='run'">
<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">
<svg><style><img src=x onerror="document.title='run'"></style></svg>
<a href="http://127.0.0.1:9/">Go</a></body></html>"""


@pytest.fixture
def folder(open_page: OpenPage, server: Server, tmp_path: Path) -> Path:
    """A bundle as somebody downloads and unpacks it."""
    page = open_page("annotator")
    page.goto(f"{server.url}/trajectories/1/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Bundle").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "episode-1"


@pytest.fixture
def offline(chromium: Browser) -> Iterator[Page]:
    """A browser without network, watched: no error, and nothing but files."""
    context = chromium.new_context(offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda said: problems.append(said.text) if said.type == "error" else None,
    )
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith(("file:", "data:"))
            else problems.append(asked.url)
        ),
    )
    yield page
    context.close()
    assert problems == []


def test_a_bundle_opens_from_a_disk_and_goes_by_keyboard(folder: Path, offline: Page):
    offline.goto(f"file://{folder}/index.html")
    expect(offline.locator(".step.is-current h2")).to_contain_text("Step 1 of 4")
    offline.keyboard.press("l")
    offline.keyboard.press("l")
    expect(offline.locator(".step.is-current h2")).to_contain_text("Step 3 of 4")

    assert offline.url.endswith("#step-3")
    recorded = offline.frame_locator(".step.is-current [data-side=before] iframe")
    expect(recorded.locator("header")).to_contain_text("Corner Shop")
    offline.keyboard.press("4")
    expect(offline.locator(".step.is-current")).to_contain_text("do(action=")


def test_a_hostile_page_of_a_bundle_does_nothing(folder: Path, offline: Page):
    page = sorted((folder / "pages").iterdir())[0]
    page.write_text(make_inert(HOSTILE))
    offline.goto(f"file://{page}")

    expect(offline.locator("body")).to_contain_text("Bait")
    offline.get_by_text("Go", exact=True).click()
    assert offline.url == f"file://{page}"
    assert offline.title() == ""


def test_the_policy_inside_a_page_holds_what_cleaning_would_miss(
    folder: Path, chromium: Browser
):
    head = make_inert("")
    page = folder / "pages/uncleaned.html"
    page.write_text(head + HOSTILE.replace('<meta http-equiv="refresh"', "<meta x"))
    context = chromium.new_context()
    tab = context.new_page()
    refused: list[str | None] = []
    tab.on("requestfailed", lambda request: refused.append(request.failure))
    tab.goto(f"file://{page}")

    expect(tab.locator("body")).to_contain_text("Bait")
    assert tab.title() == ""
    assert set(refused) == {"csp"}
    context.close()
