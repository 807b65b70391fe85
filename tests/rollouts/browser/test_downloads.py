"""Downloads, and pages that come slowly or hold too much, in real Chromium."""

from __future__ import annotations

import time

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.errors import SLOW
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import NAVIGATION_MS, SettleLimits
from tests.rollouts.browser.tiny_site import do, redirect, respond, task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="session"),
]
REPORT = respond("a,b\n", "Content-Disposition: attachment; filename=report.csv")
BINARY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
    b"Content-Length: 4\r\n\r\nabcd"
)
BIG = 50_000_000
LINE = f"<p>{'word ' * 200}</p>\n"
# Says that more will come, and sends no more.
STREAM = respond("<h1>First part</h1><a href=/b>On</a>").replace(
    b"Content-Length: ", b"Content-Length: 9"
)


@pytest.mark.parametrize("target", ["", " target=_blank", " download"])
@pytest.mark.parametrize(
    ("pages", "name"),
    [
        ({"file": REPORT}, "report.csv"),
        ({"file": redirect("/report"), "report": REPORT}, "report.csv"),
        ({"file": BINARY}, "file"),
    ],
)
async def test_files_end_no_episode_and_are_told(
    environment, serve, pages, name, target
):
    serve(f"<h1>Shop</h1><a href=/file{target}>Report</a>", **pages)
    first, _ = await environment.reset(task())
    for _ in range(3):
        began = time.monotonic()
        observation, _, _, _, info = await environment.step(do("Click", 0))
        assert observation.text == first.text
        assert f'A file came, "{name}"' in info["error"]
        # Ten seconds is how long a page that does not come is waited for.
        assert time.monotonic() - began < 8


async def test_an_address_that_is_a_file_leaves_the_page_as_it_was(pool, site, serve):
    serve("<h1>Shop</h1>", file=REPORT)
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, dialect="browsergym")
    first, _ = await environment.reset(task())
    observation, _, _, _, info = await environment.step("goto('/file')")
    assert observation.text == first.text
    assert "report.csv" in info["error"]
    await environment.close()


async def test_a_page_that_comes_slowly_is_shown_as_far_as_it_came(pool, site, serve):
    serve("<a href=/slow>Slow</a>", slow=STREAM)
    # Half of what a lab's pages get: each visit waits for all of it.
    settle = SettleLimits(navigation=NAVIGATION_MS // 2)
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, settle=settle)
    await environment.reset(task())
    for _ in range(2):
        observation, _, _, _, info = await environment.step(do("Click", 0))
        assert "First part" in observation.text
        assert info["error"] == SLOW
        observation, *_ = await environment.step("go_backward()")
        assert "Slow" in observation.text
    await environment.close()


async def test_a_slow_page_is_waited_for_once(environment, serve):
    serve(STREAM)
    observation, _ = await environment.reset(task())
    assert "First part" in observation.text
    began = time.monotonic()
    _, _, _, _, info = await environment.step(do("Hover", 0))
    assert info["error"] == ""
    assert time.monotonic() - began < 8


async def test_a_page_of_50_megabytes_is_shown(environment, serve):
    serve("<a href=/big>Big</a>", big="<h1>Big</h1>" + LINE * (BIG // len(LINE)))
    await environment.reset(task())
    for _ in range(2):
        observation, _, _, _, info = await environment.step(do("Click", 0))
        assert "<h1>Big</h1>" in observation.text
        assert info["error"] in ("", SLOW)
        await environment.step("go_backward()")
