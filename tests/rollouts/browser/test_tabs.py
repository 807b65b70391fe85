"""Which tab is the active one, in real Chromium."""

from __future__ import annotations

import pytest

from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_every_page_of_a_tab_may_open_a_new_one(environment, serve):
    serve(
        "<a href=/b target=_blank>B</a><a href=/c>C</a>",
        b="<h1>B</h1>",
        c="<a href=/d target=_blank>D</a>",
        d="<h1>D</h1>",
    )
    await environment.reset(task())
    await environment.step(do("Click", 0))
    await environment.step(do("Switch Tab", argument="0"))
    await environment.step(do("Click", 1))
    observation, *_ = await environment.step(do("Click", 0))
    assert observation.text.endswith("</tabs><h1>D</h1>")


NO_BUBBLING = "<div onclick='event.stopPropagation()'>{}</div>"
IN_SHADOW = (
    "<div id=host></div><script>"
    "host.attachShadow({{mode: 'open'}}).innerHTML = `{}`</script>"
)
BLANK = "<a href=/b target=_blank>B</a>"
FORM = "<form action=/b target=_blank>{}</form>"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/b target=help>B</a>",
        "<a href=/b target=_BLANK>B</a>",
        "<base target=_blank><a href=/b>B</a>",
        NO_BUBBLING.format(BLANK),
        IN_SHADOW.format(BLANK),
        FORM.format("<button>B</button>"),
        NO_BUBBLING.format(FORM.format("<button>B</button>")),
        "<form action=/b><button formtarget=help>B</button></form>",
        FORM.format("<i onclick='this.parentNode.submit()'>B</i>"),
    ],
)
async def test_a_tab_is_followed_however_it_was_opened(environment, serve, html):
    serve(html, b="<h1>B</h1>")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Click", 0))
    assert observation.text.endswith("</tabs><h1>B</h1>")


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/b target=_blank onclick='event.preventDefault()'>B</a>",
        "<iframe name=in></iframe><a href=/b target=in>B</a>",
        "<a href=/b target=_SELF>B</a>",
    ],
)
async def test_no_tab_is_waited_for_where_none_comes(environment, serve, html):
    serve(html, b="<h1>B</h1>")
    observation, _ = await environment.reset(task())
    number = next(one.id for one in observation.elements if one.tag == "a")
    await environment.step(do("Click", number))
    episode = environment._episode
    assert episode.opened_by[episode.executor.page] == 0


async def test_a_tab_that_came_late_is_followed_at_the_next_step(environment, serve):
    serve("<h1>A</h1>", b="<h1>B</h1>")
    await environment.reset(task())
    page = environment._episode.executor.page
    late = await page.context.new_page()
    await late.goto(page.url + "b")
    observation, *_ = await environment.step(do("Wait", argument="0"))
    assert observation.text.endswith("</tabs><h1>B</h1>")


async def test_a_chosen_tab_goes_before_one_that_came_late(environment, serve):
    serve("<h1>A</h1>", b="<h1>B</h1>")
    await environment.reset(task())
    page = environment._episode.executor.page
    late = await page.context.new_page()
    await late.goto(page.url + "b")
    for _ in range(2):
        output = do("Switch Tab", argument="0")
        observation, *_ = await environment.step(output)
        assert observation.text.endswith("</tabs><h1>A</h1>")
