"""R15: a phase's page whose socket is cut a hundred times while events happen."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Error, sync_playwright

from curriculum.events import EpisodeEvent, publish
from curriculum.models import Phase, PhaseEvent
from drills.desk.relay import Relay, open_relay
from drills.faults.episodes import open_collecting
from drills.outcome import Outcome
from drills.web import ensure_web, open_session
from rollouts.browser.process.chromium_path import find_chromium
from rollouts.models import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

CUTS, EPISODES = 100, 20
LIMIT_S = 60.0
# Pauses between cuts, so that they hit the socket while opening, sending and idle.
PAUSES_S = (0.0, 1.5)
LOG = "[data-live] .log"
BADGE = "[data-live][data-stale]"
LAST = "[data-last-id-now]"


def measure() -> Outcome:
    """Cut repeatedly; then compare the page with one that is newly loaded."""
    # Playwright's blocking interface runs a loop in this thread, which is not shared.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    phase = open_collecting(EPISODES)
    port = urlsplit(ensure_web()).port or 0
    with open_relay(port) as relay, _browser(port, relay.port) as browser:
        page = _open(browser, phase)
        cut, written = _cut_often(relay, phase, page)
        newest = PhaseEvent.objects.filter(phase=phase).latest("pk").pk
        seconds = _wait(
            lambda: _last_id(page) == newest and not page.query_selector(BADGE)
        )
        seen, fresh = _read_log(page), _read_log(_open(browser, phase))
    missing = [line for line in fresh if line not in seen]
    is_same = seen == fresh
    text = (
        f"{cut} sockets cut while {written} events happened: the page shows "
        f"{len(seen)} lines, one loaded anew {len(fresh)}, {len(missing)} missing, "
        f"the same: {is_same}; the newest was there {seconds:.1f} s after the last cut"
    )
    return Outcome(text, is_same and cut >= CUTS and len(fresh) >= EPISODES)


@contextmanager
def _browser(port: int, relay: int) -> Iterator[Browser]:
    """Start a browser that reaches the dashboard through the relay."""
    rule = f"MAP localhost:{port} 127.0.0.1:{relay}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[f"--host-resolver-rules={rule}"]
        )
        try:
            yield browser
        finally:
            browser.close()


def _open(browser: Browser, phase: Phase) -> Page:
    """Open the phase's page as a researcher."""
    url = str(settings.DASHBOARD_URL)
    person, _ = User.objects.get_or_create(
        username="drill-sockets", defaults={"is_superuser": True, "is_staff": True}
    )
    context = browser.new_context(base_url=url)
    name, session = settings.SESSION_COOKIE_NAME, open_session(person)
    context.add_cookies([{"name": name, "value": session, "url": url}])
    page = context.new_page()
    page.goto(f"/phases/{phase.pk}/", timeout=LIMIT_S * 1000)
    page.wait_for_selector(LAST, state="attached")
    return page


def _cut_often(relay: Relay, phase: Phase, page: Page) -> tuple[int, int]:
    """Cut and publish alternately; return how many sockets and events there were."""
    draw = random.Random(15)
    rows = list(Trajectory.objects.filter(phase=phase).values_list("pk", flat=True))
    cut = written = 0
    until = time.monotonic() + 10 * LIMIT_S
    while cut < CUTS and time.monotonic() < until:
        event = EpisodeEvent(trajectory_id=draw.choice(rows), outcome=written % 2 == 0)
        publish(phase.pk, event)
        written += 1
        # Playwright handles the page's events only during a call.
        page.wait_for_timeout(draw.uniform(*PAUSES_S) * 1000)
        cut += relay.cut()
    return cut, written


def _read_log(page: Page) -> list[str]:
    return [text.strip() for text in page.locator(f"{LOG} > li").all_inner_texts()]


def _last_id(page: Page) -> int:
    with suppress(Error):
        return int(page.locator(LAST).get_attribute("data-last-id-now") or 0)
    return 0


def _wait(condition: Callable[[], bool]) -> float:
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > LIMIT_S:
            raise TimeoutError("The page never caught up.")
        time.sleep(0.1)
    return time.monotonic() - began
