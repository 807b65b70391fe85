"""What is waited for after an action, in real Chromium."""

from __future__ import annotations

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import SettleLimits
from tests.rollouts.browser.actions.playing import error_of, text_after
from tests.rollouts.browser.tiny_site import do, task

# An answer that never comes.
NEVER = b""

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    ("argument", "error"),
    [("11", "0 to 10 seconds"), ("soon", "number of seconds"), ("nan", "0 to 10")],
)
async def test_wait_takes_a_short_time(environment, serve, argument, error):
    serve("")
    await environment.reset(task())
    assert error in await error_of(environment, do("Wait", argument=argument))


async def test_wait_waits(environment, serve):
    serve("<p>a</p><script>setTimeout(() => document.title = 'late', 700)</script>")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Wait"))
    assert observation.title == "late"


@pytest.mark.parametrize(
    "script",
    [
        "fetch('/slow').then(r => r.text()).then(() => { p.textContent = 'done' })",
        "x = new XMLHttpRequest(); x.open('GET', '/'); x.onload ="
        " () => { p.textContent = 'done' }; x.send()",
        "setTimeout(() => { p.textContent = 'done' }, 120)",
        "Promise.resolve().then(() => { p.textContent = 'done' })",
        "setTimeout(() => fetch('/').then(() => { p.textContent = 'done' }), 30)",
    ],
)
async def test_what_a_click_sets_off_is_waited_for(environment, serve, script):
    serve(f'<p id=p>before</p><button onclick="{script}">Go</button>')
    await environment.reset(task())
    assert "<p>done</p>" in await text_after(environment, do("Click", 0))


async def test_what_never_ends_is_waited_for_once(pool, site, serve):
    serve("<button onclick=\"fetch('/never')\">Ask</button>", never=NEVER)
    settle = SettleLimits(network=300)
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, settle=settle)
    await environment.reset(task())
    _, _, _, _, first = await environment.step(do("Click", 0))
    _, _, _, _, second = await environment.step(do("Hover", 0))
    await environment.close()
    assert first["timing"]["settle"] >= 300
    assert second["timing"]["settle"] < 300


@pytest.mark.parametrize("code", [204, 205])
@pytest.mark.parametrize(
    "page",
    [
        "<a href=/none>Save</a>",
        "<form action=/none method=post><button>Save</button></form>",
        "<iframe srcdoc='<a href=/none>Save</a>'></iframe>",
    ],
)
async def test_an_answer_without_a_page_is_no_late_page(environment, serve, code, page):
    serve(page, none=f"HTTP/1.1 {code} Ok\r\nContent-Length: 0\r\n\r\n".encode())
    await environment.reset(task())
    for _ in range(2):  # A second page that does not come would end the episode.
        observation, _, _, _, info = await environment.step(do("Click", 0))
        assert info["error"] == ""
        assert "Save" in observation.text


async def test_a_page_that_never_rests_is_observed_all_the_same(environment, serve):
    serve(
        "<p id=p></p><script>setInterval(() => p.textContent = Date.now(), 5);"
        "(function again() { setTimeout(again, 1) })()</script>"
    )
    observation, info = await environment.reset(task())
    assert observation.text.startswith("<p>")
    assert info["timing"]["observe"] < 2000


async def test_an_animation_by_fast_intervals_is_waited_for(environment, serve):
    serve(
        '<button onclick="let n = 0; const id = setInterval(() => {'
        ' document.title = ++n; if (n === 20) clearInterval(id); }, 13)">Go</button>'
    )
    await environment.reset(task())
    observation, *_ = await environment.step(do("Click", 0))
    assert observation.title == "20"


async def test_an_interval_without_an_end_is_not_waited_for_again(environment, serve):
    serve("<button>Go</button><script>setInterval(() => {}, 20)</script>")
    await environment.reset(task())
    _, _, _, _, info = await environment.step(do("Click", 0))
    assert info["timing"]["settle"] < 900
