"""What leaves the box of the element around it is read where it is seen."""

from __future__ import annotations

import pytest

from tests.rollouts.browser.actions.playing import text_after
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FULL_HEIGHT = "<style>html, body {height: 100%; margin: 0} p {height: 80px}</style>"
ROWS = "".join(f"<p>Row {n} <a href=/>Go</a></p>" for n in range(40))
LONG = "<p style='height: 3000px'></p>"


async def read_below(environment, serve, html, screens=1):
    """Return the text after so many scrolls down."""
    serve(html)
    await environment.reset(task())
    return await text_after(environment, *[do("Scroll Down")] * screens)


@pytest.mark.parametrize(
    "around", ["{}", "<main>{}</main>", "<div style='height: 100%'><b>{}</b></div>"]
)
async def test_a_page_longer_than_its_body_is_read_to_its_end(
    environment, serve, around
):
    html = FULL_HEIGHT + around.format(ROWS)
    text = await read_below(environment, serve, html, screens=3)
    assert "Row 19" in text
    assert '<a id="0">Go</a>' in text


async def test_text_that_overflows_its_box_is_read(environment, serve):
    html = FULL_HEIGHT + "<br>".join(f"Line {n}" for n in range(200))
    assert "Line 60" in await read_below(environment, serve, html, screens=2)


@pytest.mark.parametrize(
    "html",
    [
        "<header style='height: 60px'><nav style='position: fixed; top: 0'>"
        "<a href=/>Cart</a></nav></header>",
        "<header style='height: 60px; overflow: hidden'>"
        "<a href=/ style='position: fixed; top: 0'>Cart</a></header>",
        "<div style='height: 50px'><i style='display: none'>x</i><div><div><div "
        "style='position: fixed; bottom: 0'><a href=/>Cart</a></div></div></div></div>",
        "<div style='height: 9px'><div style='position: absolute; top: 600px'>"
        "<a href=/>Cart</a></div></div>",
    ],
)
async def test_what_leaves_a_header_that_was_scrolled_away_is_read(
    environment, serve, html
):
    text = await read_below(environment, serve, html + LONG)
    assert text == '<a id="0">Cart</a>'


async def test_a_picture_that_leaves_a_box_is_read(environment, serve):
    html = (
        "<div style='height: 9px'><div><div style='position: fixed; top: 0'>"
        "<img alt=Cart src=data:, width=50 height=50 onclick=1></div></div></div>"
    )
    text = await read_below(environment, serve, html + LONG)
    assert text == '<img id="0">Cart</img>'


async def test_what_leaves_a_box_inside_a_shadow_root_is_read(environment, serve):
    html = (
        "<div style='height: 9px'><div id=host><a href=/>Cart</a></div></div><script>"
        "host.attachShadow({mode: 'open'}).innerHTML ="
        " '<div><p style=\"position: fixed; top: 0\"><slot></slot></p></div>'</script>"
    )
    text = await read_below(environment, serve, html + LONG)
    assert '<a id="0">Cart</a>' in text


async def test_what_a_box_below_the_screen_moves_up_is_read(environment, serve):
    serve(
        "<p style='height: 900px'></p><div style='height: 50px'>"
        "<a href=/ style='position: relative; top: -600px'>Up</a></div>"
    )
    assert (await environment.reset(task()))[0].text == '<a id="0">Up</a>'


@pytest.mark.parametrize("overflow", ["hidden", "auto", "clip"])
async def test_what_a_box_that_was_scrolled_away_cuts_off_stays_unread(
    environment, serve, overflow
):
    html = f"<div style='height: 90px; overflow: {overflow}'>{ROWS}</div>Rest{LONG}"
    assert await read_below(environment, serve, html) == ""


async def test_letters_that_leave_their_line_a_little_are_not_read(environment, serve):
    html = (
        "<style>* {margin: 0}</style><p style='height: 474px'></p>"
        "<p style='line-height: 4px'>Low <b>words</b></p>" + LONG
    )
    assert await read_below(environment, serve, html) == ""


async def test_what_leaves_a_late_box_below_the_screen_is_read(environment, serve):
    boxes = "<div><b>Box</b></div>" * 30
    serve(
        f"<p style='height: 900px'></p>{boxes}<div><b><i style='position: fixed; "
        f"top: 0'>Fixed</i></b></div>{boxes}"
    )
    assert (await environment.reset(task()))[0].text == "Fixed"
