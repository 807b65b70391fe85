"""WebRL's form of observation on pages in real Chromium."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.tiny_site import TinySite, do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
BOX = re.compile(r' data-bbox="[^"]*"')


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def webrl_pool() -> AsyncIterator[BrowserPool]:
    pool = BrowserPool(PoolOptions(prepared=1), "webrl")
    yield pool
    await pool.close()


@pytest_asyncio.fixture(loop_scope="session")
async def pages(
    webrl_pool: BrowserPool, site: TinySite
) -> AsyncIterator[BrowserEnvironment]:
    other = site.url.replace("shop.", "forum.")
    host = ExternalHost({"shop": site.url, "forum": other})
    environment = BrowserEnvironment(webrl_pool, host)
    yield environment
    await environment.close()


async def text_of(environment: BrowserEnvironment, serve, html: str) -> str:
    serve(html)
    observation, _ = await environment.reset(task())
    return BOX.sub("", observation.text)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Hi</p>", '<p data-text="Hi"> Hi </p>'),
        ("<a href=/>Go</a>", '<a id="0" data-text="Go"> Go </a>'),
        (
            "<button><b>Go</b></button>",
            '<button id="0"> <b data-text="Go"> Go </b> </button>',
        ),
        (
            "<input type=checkbox checked>",
            '<input id="0" type="checkbox" data-value="on" data-status="checked">',
        ),
        ("<textarea>Hi</textarea>", '<textarea id="0" data-value="Hi"> Hi </textarea>'),
        (
            "<select><option value=1>One<option value=2 selected>Two</select>",
            '<select id="0" data-value="2" data-text="Two"> '
            '<option value="1" data-text="One"> One </option> '
            '<option value="2" data-text="Two" data-status="selected"> Two </option> '
            "</select>",
        ),
        ("<div onclick='x()'>Go</div>", '<div id="0" data-text="Go"> Go </div>'),
        ("<div tabindex=0>Go</div>", '<div id="0" data-text="Go"> Go </div>'),
        ("<div jsaction='a.b'>Go</div>", '<div id="0" data-text="Go"> Go </div>'),
        ("<div class='my-Button'>Go</div>", '<div id="0" data-text="Go"> Go </div>'),
        ("<p>One</p><script>x = '<p>'</script>", '<p data-text="One"> One </p>'),
    ],
)
async def test_a_page_is_observed_as_released(pages, serve, html, text):
    assert text in await text_of(pages, serve, html)


async def test_what_lies_off_the_screen_is_left_out(pages, serve):
    text = await text_of(pages, serve, "<p>Top</p><p style='margin-top:900px'>Low</p>")
    assert "Top" in text
    assert "Low" not in text


async def test_only_the_innermost_of_nested_elements_has_an_id(pages, serve):
    text = await text_of(pages, serve, "<div onclick=x()><a href=/>Go</a> now</div>")
    assert 'id="0" data-text="Go"' in text
    assert text.count(" id=") == 1


async def test_a_covered_element_has_no_id(pages, serve):
    cover = "<div style='position:fixed;inset:0'></div>"
    text = await text_of(pages, serve, f"<a href=/>Go</a>{cover}")
    assert '<a data-text="Go">' in text


async def test_a_frame_is_an_element_without_content(pages, serve):
    text = await text_of(pages, serve, "<iframe srcdoc='<p>Inside</p>'></iframe>")
    assert '<iframe id="0"> </iframe>' in text


async def test_the_page_stays_as_it_is(pages, serve):
    serve("<button onclick='document.title = this.outerHTML'>Go</button>")
    await pages.reset(task())
    observation, *_ = await pages.step(do("Click", element=0))
    assert "data-" not in observation.title


async def test_an_option_once_chosen_is_told_again_as_released(pages, serve):
    serve("<select><option>One<option>Two</select>")
    await pages.reset(task())
    chosen = do("Select Dropdown Option", 0, "Two")
    observation, *_ = await pages.step(chosen)
    assert observation.text.count('data-status="selected"') == 2


async def test_ids_lead_to_their_elements(pages, serve):
    serve("<a href=/a>A</a> <button onclick='document.title = 7'>B</button>")
    await pages.reset(task())
    observation, *_ = await pages.step(do("Click", element=1))
    assert observation.title == "7"


async def test_several_tabs_are_not_named(pages, serve):
    serve("<a href=/other target=_blank>Go</a>")
    await pages.reset(task())
    observation, *_ = await pages.step(do("Click", element=0))
    assert "<tab" not in observation.text
    assert "/other" in observation.text


async def test_home_links_to_the_sites_that_no_tab_starts_on(pages, serve):
    serve("<h1>Hello</h1>")
    both = dataclasses.replace(task("/cart"), sites=("shop", "forum"))
    await pages.reset(both)

    observation, *_, info = await pages.step(do("Go Home"))
    assert not info["error"]
    assert BOX.sub("", observation.text).count("<a ") == 2
    assert 'id="1" data-text="forum"' in BOX.sub("", observation.text)

    observation, *_, info = await pages.step(do("Click", 1))
    assert not info["error"]
    assert observation.url.startswith("http://forum.")

    observation, *_ = await pages.step("go_backward()")
    assert 'data-text="forum"' in observation.text


async def test_home_is_the_start_page_where_each_site_has_a_tab(pages, serve):
    serve("<h1>Hello</h1>")
    both = dataclasses.replace(
        task(),
        start_url="__SHOP__/cart |AND| __FORUM__/",
        sites=("shop", "forum"),
    )
    await pages.reset(both)
    observation, *_ = await pages.step(do("Go Home"))
    assert observation.url.startswith("http://shop.")
    assert "Hello" in observation.text
