from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.evaluators import PageUnreadable
from rollouts.browser.evaluators.functions import role_program
from rollouts.browser.evaluators.locators import parse_click, parse_locator
from rollouts.browser.observation.observations import SettleLimits
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.pool import BrowserPool, PageLease
from rollouts.browser.scoring.page_reader import TabReader

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = """
<div class="vote"><form class="up">x</form></div>
<ul><li>one</li><li>two</li></ul>
<select id="s"><option>a</option><option selected>b</option></select>
<input type="checkbox" title="News" checked>
<p class="post">text <a href="/x">a</a> <img src="data:,y"></p>
<button onclick="document.querySelector('li').textContent = 'clicked'">b</button>
"""
VOTE = "document.querySelector('.vote').querySelector('form').getAttribute('class')"
EITHER = (
    "document.querySelector('li').outerText"
    " + (document.querySelector('.x')?.title || '')"
)
LINKS = (
    "[...document.querySelector('.post').querySelectorAll('[href],[src]')]"
    ".map(e => e.getAttribute('href') || e.getAttribute('src')).join(' ')"
)


@pytest_asyncio.fixture(loop_scope="session")
async def lease(pool: BrowserPool, serve) -> AsyncIterator[PageLease]:
    site = serve(PAGE, other="<p>elsewhere</p>")
    pool.allow([AllowedHost.of_url(site.url)])
    lease = await pool.open_page()
    await lease.page.goto(site.url)
    yield lease
    await pool.give_back(lease)


@pytest.mark.parametrize(
    ("locator", "found"),
    [
        (VOTE, "up"),
        ("document.querySelector('ul').lastElementChild.outerText", "two"),
        ("document.querySelector('ul').children[0].innerText", "one"),
        ("document.querySelector('#s').selectedIndex", "1"),
        ("document.querySelector('[title=\"News\"').checked.toString()", "true"),
        ("document.querySelector('[title=\"News\"').checked", "True"),
        ("document.querySelector('.gone').outerText", ""),
        ("document.querySelector('ul').getAttribute('class')", "None"),
        (EITHER, "one"),
        (EITHER.replace("?.", "."), ""),
        ("document.querySelector('#s').checked", "None"),
        ("[...document.querySelectorAll('li')].map(e => e.title)", "['', '']"),
        ("[...document.querySelectorAll('li')].map(e => e.title).join('-')", "-"),
        (LINKS, "/x data:,y"),
        ("document.querySelector('a[[').title", ""),
    ],
)
async def test_a_locator_reads_the_current_page(lease, locator, found):
    reader = TabReader(lease.page)
    assert await reader.read("last", parse_locator(locator)) == found


async def test_without_a_locator_the_whole_page_is_read(lease):
    assert "<li>two</li>" in await TabReader(lease.page).read("last", None)


async def test_another_address_is_read_in_a_tab_of_its_own(lease, site):
    before = lease.page.url
    text = await TabReader(lease.page).read(f"{site.url}/other", None)
    assert "elsewhere" in text
    assert lease.page.url == before
    assert len(lease.context.pages) == 1


async def test_an_address_that_is_not_reached_is_said(lease):
    with pytest.raises(PageUnreadable, match="was not reached"):
        await TabReader(lease.page).read("http://nowhere.test/", None)


async def test_an_element_is_clicked_before_reading(lease):
    clicks = [parse_click("document.querySelector('button').click()")]
    locator = parse_locator("document.querySelector('li').innerText")
    assert await TabReader(lease.page).read("last", locator, clicks) == "clicked"


async def test_nothing_is_clicked_after_a_click_that_failed(lease):
    clicks = [
        parse_click("document.querySelector('.gone').click()"),
        parse_click("document.querySelector('button').click()"),
    ]
    locator = parse_locator("document.querySelector('li').innerText")
    assert await TabReader(lease.page).read("last", locator, clicks) == "one"


FILLED = """<output></output><script>
const fill = () => fetch('/slow').then((answer) => answer.text())
  .then((text) => { document.querySelector('output').textContent = text; });
setTimeout(fill, AFTER_MS);
</script>"""
FIELD = "document.querySelector('output').outerText"


@pytest.mark.parametrize(("after_ms", "wait_ms"), [(200, 0), (700, 900)])
async def test_a_field_that_a_fetch_fills_later_is_read(lease, site, after_ms, wait_ms):
    page = FILLED.replace("AFTER_MS", str(after_ms))
    site.pages |= {"/late": page, "/slow": "full"}
    found = await TabReader(lease.page).read(
        f"{site.url}/late", parse_locator(FIELD), wait_ms=wait_ms
    )
    assert "full" in found


async def test_a_page_that_never_rests_is_read_all_the_same(lease, site):
    site.pages["/busy"] = "<p>x</p><script>setInterval(() => {}, 10)</script>"
    reader = TabReader(lease.page, SettleLimits(timers=20))
    assert "x" in await reader.read(f"{site.url}/busy", None)


MEMBERS = """<table>
<tr><td data-label='Account'><span class='gl-avatar-labeled-sublabel'>@bob</span></td>
<td class='col-max-role'><span>Owner<br>since 2020</span></td></tr>
<tr><td data-label='Account'><span class='gl-avatar-labeled-sublabel'>@ann</span></td>
<td class='col-max-role'><span>Guest</span></td></tr></table>"""


@pytest.mark.parametrize(("account", "role"), [("ann", "Guest"), ("eve", "")])
async def test_a_members_role_is_found_by_place(lease, site, account, role):
    site.pages["/members"] = MEMBERS
    reader = TabReader(lease.page)
    assert await reader.read(f"{site.url}/members", role_program(account)) == role
