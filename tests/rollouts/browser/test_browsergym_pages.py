"""Every call of BrowserGym's dialect, in real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import BrowserPool
from tests.rollouts.browser.tiny_site import TinySite, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def gym(pool: BrowserPool, site: TinySite) -> AsyncIterator[BrowserEnvironment]:
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, dialect="browsergym")
    yield environment
    await environment.close()


async def act(environment, *outputs):
    for output in outputs:
        observation, _, _, _, info = await environment.step(output)
        assert info["error"] == ""
    return observation


async def error_of(environment, output):
    return (await environment.step(output))[4]["error"]


@pytest.mark.parametrize(
    ("html", "output", "title"),
    [
        ("<button onclick=\"document.title = 'a'\">A</button>", "click('0')", "a"),
        (
            "<button oncontextmenu=\"document.title = 'menu'\">A</button>",
            "click('0', button='right')",
            "menu",
        ),
        (
            "<button ondblclick=\"document.title = 'twice'\">A</button>",
            "dblclick('0')",
            "twice",
        ),
        (
            '<input oninput="document.title = this.value">',
            "fill('0', 'it\\'s')",
            "it's",
        ),
        (
            "<input value=x oninput=\"document.title = 'empty' + this.value\">",
            "clear('0')",
            "empty",
        ),
        (
            '<select onchange="document.title = value"><option>a<option>b</select>',
            "select_option('0', 'b')",
            "b",
        ),
        (
            "<a href=/ onmouseover=\"document.title = 'over'\">A</a>",
            "hover('0')",
            "over",
        ),
        ("<input onfocus=\"document.title = 'on'\">", "focus('0')", "on"),
        (
            '<input onkeydown="document.title = event.key + event.ctrlKey">',
            "press('0', 'Control+ArrowDown')",
            "ArrowDowntrue",
        ),
        (
            "<div tabindex=0 onkeydown='document.title = event.key'>A</div>",
            "press('0', 'Escape')",
            "Escape",
        ),
    ],
)
async def test_a_call_does_what_it_says(gym, serve, html, output, title):
    serve(html)
    await gym.reset(task())
    assert (await act(gym, output)).title == title


async def test_pressing_enter_sends_a_form(gym, serve):
    site = serve("<form action=/find><input name=q></form>")
    await gym.reset(task())
    await act(gym, "fill('0', 'mug')", "press('0', 'Enter')")
    assert site.requests[-1] == "GET /find?q=mug"


async def test_scrolling_goes_by_pixels_in_both_directions(gym, serve):
    serve("<p style='width:3000px;height:3000px'>A</p>")
    await gym.reset(task())
    await act(gym, "scroll(0, 200)", "scroll(100, 0)", "scroll(0, -50)")
    page = gym._episode.executor.page
    assert await page.evaluate("[scrollX, scrollY]") == [100, 150]
    assert "already at its left end" in (
        await error_of(gym, "scroll(-100, 0)") + await error_of(gym, "scroll(-1, 0)")
    )
    assert "other than 0" in await error_of(gym, "scroll(0, 0)")


async def test_the_agent_goes_to_addresses_of_its_sites(gym, serve, site):
    serve("<h1>Home</h1>", b="<h1>B</h1>", c="<h1>C</h1>")
    await gym.reset(task())
    assert (await act(gym, "goto('/b')")).text == "<h1>B</h1>"
    assert (await act(gym, "goto('__SHOP__/c')")).text == "<h1>C</h1>"
    assert (await act(gym, f"goto('{site.url}/b')")).text == "<h1>B</h1>"
    assert (await act(gym, "go_back()")).text == "<h1>C</h1>"
    assert (await act(gym, "go_forward()")).text == "<h1>B</h1>"


async def test_addresses_elsewhere_are_refused(gym, serve):
    serve("<h1>Home</h1>")
    await gym.reset(task())
    error = await error_of(gym, "goto('http://elsewhere.example/')")
    assert "leads out of the task's sites" in error
    assert "__SHOP__" in error


async def test_tabs_are_opened_switched_and_closed(gym, serve):
    serve("<h1>Home</h1>", b="<h1>B</h1>")
    await gym.reset(task())
    assert "only tab" in await error_of(gym, "tab_close()")
    assert (await act(gym, "new_tab()")).text.endswith(" active></tab></tabs>")
    assert (await act(gym, "goto('/b')")).text.endswith("</tabs><h1>B</h1>")
    assert (await act(gym, "tab_focus(0)")).text.endswith("</tabs><h1>Home</h1>")
    assert (await act(gym, "tab_focus(1)", "tab_close()")).text == "<h1>Home</h1>"
    assert "no tab '1'" in await error_of(gym, "tab_focus(1)")


@pytest.mark.parametrize(
    ("html", "output", "error"),
    [
        (
            "<select><option>A</select>",
            "click('0')",
            "is a drop-down list; use select_option() with one of",
        ),
        (
            "<a style='cursor:pointer'>A</a>",
            "press('0', 'a')",
            'Element 0 (<a> "A") takes no keys.',
        ),
        ("<input>", "press('0', 'Return')", "There is no key 'Return'"),
        ("<input>", "focus('4')", "There is no element 4"),
        ("<input>", 'do(action="Wait")', "There is no call do()"),
    ],
)
async def test_a_failed_call_explains_itself(gym, serve, html, output, error):
    serve(html)
    await gym.reset(task())
    assert error in await error_of(gym, output)


@pytest.mark.parametrize(
    ("output", "answer"),
    [("send_msg_to_user('42')", "42"), ("report_infeasible('no such')", "N/A")],
)
async def test_an_answer_ends_the_episode(gym, serve, output, answer):
    serve("")
    await gym.reset(task())
    _, _, terminated, _, info = await gym.step(output)
    assert (terminated, info["answer"]) == (True, answer)
