"""What a page keeps back without taking its boxes away is not read."""

from __future__ import annotations

import pytest

from tests.rollouts.browser.actions.playing import text_after
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

INSIDE = "<summary>More</summary>bare <p>Secret <a href=/x>link</a></p>"


async def read(environment, serve, html):
    serve(html)
    return (await environment.reset(task()))[0].text


async def test_what_closed_details_hold_is_not_read(environment, serve):
    html = f"<details>{INSIDE}</details><p>After</p>"
    text = await read(environment, serve, html)
    assert text == '<summary id="0">More</summary><p>After</p>'


async def test_what_details_hold_is_read_once_they_are_open(environment, serve):
    closed = await read(environment, serve, f"<details>{INSIDE}</details>")
    text = await text_after(environment, do("Click", 0))
    assert "Secret" not in closed
    assert '<p>Secret<a id="1">link</a></p>' in text


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden=until-found>Hidden <b>words</b></div>",
        "<div style='content-visibility: hidden'>Hidden <b>words</b></div>",
    ],
)
async def test_what_waits_to_be_found_is_not_read(environment, serve, html):
    assert await read(environment, serve, html + "<p>After</p>") == "<p>After</p>"


async def test_what_the_browser_lays_out_when_needed_is_read(environment, serve):
    html = "<div style='content-visibility: auto'>Some <b>words</b></div>"
    assert await read(environment, serve, html) == "Some words"
