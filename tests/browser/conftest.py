"""A dashboard in another process, a real Chromium, and pages that are watched."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.seed import PASSWORD

ROOT = Path(__file__).resolve().parents[2]
CHROMIUMS = ("chromium-headless-shell", "chromium", "google-chrome")
OpenPage = Callable[..., Page]

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong


@dataclasses.dataclass(frozen=True)
class Server:
    """Where the dashboard, its recorded pages and its database are.

    `pages` holds the path of every page by name, where a module asks for them;
    `sessions` the cookie of each person who has signed in.
    """

    url: str
    replay_url: str
    database: Path
    pages: dict[str, str]
    sessions: dict[str, str]


@pytest.fixture(scope="session")
def kept_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a first server leaves its rows for the next, of all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    (folder / "rows").mkdir(exist_ok=True)
    return folder / "rows"


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, kept_rows: Path) -> Iterator[Server]:
    """A fresh example for each module: tests of one module share its rows.

    A module may choose its rows: `ROWS = "every-state"` or "none". Those two know
    the paths of all pages.
    """
    rows = getattr(request.module, "ROWS", "usual")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.browser.server"),
            *("0", "0", rows, str(kept_rows)),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        port, replay_port = told["ports"]
        yield Server(
            f"http://localhost:{port}",
            f"http://127.0.0.1:{replay_port}",
            Path(told["database"]),
            told["pages"],
            told["sessions"],
        )
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    named = os.environ.get("BROWSER_EXECUTABLE")
    found = named or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


def sign_in(page: Page, server: Server, who: str) -> None:
    """Sign in as a person would; leads to the home page."""
    page.goto(f"{server.url}/sign-in/")
    page.fill("#id_username", who)
    page.fill("#id_password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url(f"{server.url}/")


@contextmanager
def watched_pages(
    chromium: Browser, server: Server
) -> Iterator[tuple[OpenPage, list[str]]]:
    """Yield `open_page`, and a list that fills with what goes wrong on its pages.

    That is a console error or warning, or a request to any other host; with
    `may_fail` the browser may log a request that the test makes fail.
    """
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def watch_request(url: str) -> None:
        own = (server.url, server.replay_url, server.url.replace("http", "ws"))
        if not url.startswith((*own, "data:", "blob:")):
            problems.append(f"request to {url}")

    def open_one(
        who: str,
        *,
        width: int = 1280,
        theme: str = "light",
        scripts: bool = True,
        may_fail: bool = False,
        by_form: bool = False,
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if theme == "dark" else "light",
            java_script_enabled=scripts,
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        if not by_form:
            name, value = settings.SESSION_COOKIE_NAME, server.sessions[who]
            context.add_cookies([{"name": name, "value": value, "url": server.url}])
        page = context.new_page()
        page.on("request", lambda request: watch_request(request.url))
        page.on("websocket", lambda socket: watch_request(socket.url))
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on(
            "console",
            lambda message: (
                problems.append(f"console: {message.text} at {page.url}")
                if message.type in ("error", "warning")
                and "409" not in message.text
                # A page that is left cuts off its requests; a request that fails
                # otherwise is a line of the browser's own.
                and not message.text.startswith("htmx:")
                and not may_fail
                else None
            ),
        )
        if by_form:
            sign_in(page, server, who)
        return page

    yield open_one, problems
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(chromium: Browser, server: Server) -> Iterator[OpenPage]:
    """`open_page("annotator", width=390)`: signed in, and watched to the end.

    The page is blank; with `by_form` it is the one that signing in leads to.
    """
    with watched_pages(chromium, server) as (open_one, problems):
        yield open_one
    assert problems == []
