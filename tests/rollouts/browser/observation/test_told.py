"""What the agent is told of a page that asks, stalls or hides, in real Chromium."""

from __future__ import annotations

import pytest
import pytest_asyncio
from playwright.async_api import Error

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.errors import LATE, NOTES, HarnessBroken, SiteBroken
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import SettleLimits
from rollouts.browser.process.pool import MAX_DIALOGS
from tests.rollouts.browser.tiny_site import do, task

# An answer that never comes.
NEVER = b""

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    "html",
    [
        "<label><b onclick=1>Photo</b><input type=file hidden></label>",
        "<button onclick='f.click()'>Photo</button><input type=file id=f hidden>",
        "<button onclick='f.showPicker()'>Photo</button><input type=file id=f hidden>",
        "<button onclick=\"f = document.createElement('input'); f.type = 'file';"
        ' f.click()">Photo</button>',
        '<iframe srcdoc="<button onclick=f.click()>Photo</button>'
        '<input type=file id=f hidden>"></iframe>',
    ],
)
async def test_a_page_that_asks_for_a_file_gets_none(environment, serve, html):
    serve(html)
    await environment.reset(task())
    *_, info = await environment.step(do("Click", 0))
    assert info["error"] == NOTES["file"]
    *_, info = await environment.step(do("Wait", argument="0"))
    assert info["error"] == ""


@pytest_asyncio.fixture(loop_scope="session")
async def hasty(pool, site):
    settle = SettleLimits(100, 100, 100, 100)
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, settle=settle)
    yield environment
    await environment.close()


async def test_a_page_that_does_not_come_in_time_is_told(hasty, serve):
    serve("<a href=/never>A</a>", never=NEVER)
    first, _ = await hasty.reset(task())
    observation, *_, info = await hasty.step(do("Click", 0))
    assert (info["error"], observation.text) == (LATE, first.text)


async def test_pages_that_never_come_are_the_sites_failure(hasty, serve):
    serve("<a href=/never>A</a>", never=NEVER)
    await hasty.reset(task())
    await hasty.step(do("Click", 0))
    with pytest.raises(SiteBroken, match="never load"):
        await hasty.step(do("Click", 0))


async def test_a_new_tab_is_waited_for_as_long_as_a_page(hasty, serve):
    serve("<a href=/never target=_blank>A</a>", never=NEVER)
    first, _ = await hasty.reset(task())
    observation, *_, info = await hasty.step(do("Click", 0))
    assert observation.text == first.text
    assert info["timing"]["settle"] < 5_000


async def test_a_home_that_does_not_come_in_time_is_told(hasty, serve):
    serve(NEVER, b="<h1>B</h1>")
    await hasty.reset(task("/b"))
    observation, *_, info = await hasty.step(do("Go Home"))
    assert (info["error"], observation.text) == (LATE, "<h1>B</h1>")


@pytest.mark.parametrize(
    ("script", "title"),
    [
        ("alert('No')", "undefined"),
        ("confirm('Sure?')", "true"),
        ("prompt('Name?', 'Ann')", "Ann"),
    ],
)
async def test_dialogs_are_agreed_to_as_they_stand(environment, serve, script, title):
    serve(f'<button onclick="document.title = {script}">Ask</button>')
    await environment.reset(task())
    observation, *_ = await environment.step(do("Click", 0))
    assert observation.title == title


async def test_what_a_dialog_said_is_told_once(environment, serve):
    serve("<button onclick=\"alert('Only 2  left')\">Buy</button><i>End</i>")
    await environment.reset(task())
    *_, asked = await environment.step(do("Click", 0))
    *_, waited = await environment.step(do("Wait"))
    assert asked["error"] == 'A dialog said "Only 2 left"; it was agreed to.'
    assert waited["error"] == ""


async def test_a_page_that_asks_for_ever_is_told_in_few_words(environment, serve):
    serve(
        "<button onclick=\"for (let i = 0; i < 9; i += 1) alert('x'.repeat(999))\">"
        "Ask</button>"
    )
    await environment.reset(task())
    *_, info = await environment.step(do("Click", 0))
    assert info["error"].count("A dialog said") == MAX_DIALOGS
    assert len(info["error"]) < 1000


async def test_a_page_that_wants_to_keep_the_agent_is_left(environment, serve):
    serve(
        "<input><a href=/b>B</a><script>addEventListener('beforeunload', (event) => "
        "event.preventDefault())</script>",
        b="<h1>B</h1>",
    )
    await environment.reset(task())
    await environment.step(do("Type", 0, "x"))
    observation, *_ = await environment.step(do("Click", 1))
    assert observation.text == "<h1>B</h1>"


SHADOW = (
    "<script>customElements.define('my-box', class extends HTMLElement {"
    "constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML ="
    ' `<input aria-label=Name><button onclick="document.title = '
    'this.previousElementSibling.value">Go</button><slot></slot>`; } });</script>'
)


async def test_what_an_open_shadow_root_holds_is_used(environment, serve):
    serve(f"<my-box><a href=/b>Slotted</a></my-box>{SHADOW}", b="<h1>B</h1>")
    first, _ = await environment.reset(task())
    assert first.text == (
        '<input id="0" label="Name"/><button id="1">Go</button><a id="2">Slotted</a>'
    )
    await environment.step(do("Type", 0, "Ann"))
    observation, *_ = await environment.step(do("Click", 1))
    assert observation.title == "Ann"
    observation, *_ = await environment.step(do("Click", 2))
    assert observation.text == "<h1>B</h1>"


async def test_a_tab_that_crashes_is_no_failure_of_the_agent(environment, serve):
    serve("<button>A</button>")
    await environment.reset(task())
    page = environment._episode.executor.page
    with pytest.raises(Error):
        await page.goto("chrome://crash")
    with pytest.raises(HarnessBroken):
        await environment.step(do("Click", 0))
