"""How a failed action explains itself, in real Chromium."""

from __future__ import annotations

import pytest

from tests.rollouts.browser.actions.playing import error_of
from tests.rollouts.browser.tiny_site import do, task

SELECT = (
    '<select onchange="document.title=this.value" aria-label=Sort>'
    "<option value=n>Newest<option value=p>Price, low<option value=q disabled>Price"
    "</select>"
)

GROUPED = (
    "<select><optgroup disabled label=Sold><option>Red</optgroup>"
    "<option selected>Blue</select>"
)

# Two more options than an explanation names.
LONG = f"<select>{''.join(f'<option>N{n}' for n in range(32))}</select>"

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    ("html", "output", "error"),
    [
        ("", do("Click", 0), "no elements with an id"),
        (
            "<a href=/>A</a>",
            do("Click", 3),
            "no element 3 on this page; ids run from 0 to 0",
        ),
        (
            "<button disabled>Buy</button>",
            do("Click", 0),
            'Element 0 (<button> "Buy") is disabled',
        ),
        ("<a href=/>A</a>", do("Type", 0, "x"), 'Element 0 (<a> "A") takes no text'),
        ("<input readonly>", do("Type", 0, "x"), "is read-only"),
        ("<input type=date>", do("Type", 0, "soon"), 'does not accept "soon"'),
        (
            SELECT,
            do("Click", 0),
            'use "Select Dropdown Option" with one of: "Newest", "Price, low"',
        ),
        (
            SELECT,
            do("Select Dropdown Option", 0, "Size"),
            'no option "Size"; it has: "Newest"',
        ),
        (
            SELECT,
            do("Select Dropdown Option", 0, "Size"),
            'it has: "Newest", "Price, low".',
        ),
        (
            GROUPED,
            do("Select Dropdown Option", 0, "Red"),
            'no option "Red"; it has: "Blue".',
        ),
        (LONG, do("Select Dropdown Option", 0, "x"), '"N29", and 2 more options.'),
        (LONG, do("Click", 0), '"N29", and 2 more options.'),
        (
            "<a href=/>A</a>",
            do("Select Dropdown Option", 0, "x"),
            "is not a drop-down list",
        ),
        ("<input type=file>", do("Click", 0), "asks for a file"),
    ],
)
async def test_a_failed_action_explains_itself(environment, serve, html, output, error):
    serve(html)
    await environment.reset(task())
    assert error in await error_of(environment, output)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("a.remove()", "is gone since"),
        ("a.style.display = 'none'", "is hidden now"),
        (
            "a.style.position = 'fixed'; a.style.top = '-99px'",
            "outside the visible part",
        ),
        (
            "document.body.insertAdjacentHTML('beforeend', '<dialog open style=\""
            "position:fixed;inset:0;width:99%;height:99%\">Cookies!</dialog>')",
            'Element 0 is covered by <dialog> "Cookies!"',
        ),
    ],
)
async def test_a_page_that_changed_since_it_was_observed_explains_itself(
    environment, serve, change, error
):
    serve("<a href=/ id=a>A</a>")
    await environment.reset(task())
    await environment._episode.executor.page.evaluate(change)
    assert error in await error_of(environment, do("Click", 0))


async def test_an_explanation_is_fit_to_be_stored(environment, serve):
    serve("<a href=/ id=a>A</a><script>a.textContent = 'x\\ud800\\0y'</script>")
    await environment.reset(task())
    error = await error_of(environment, do("Type", 0, "z"))
    assert error == 'Element 0 (<a> "x?y") takes no text.'


async def test_an_explanation_is_never_long(environment, serve):
    serve("<select>" + f"<option>{'x' * 99}" * 30 + "</select>")
    await environment.reset(task())
    error = await error_of(environment, do("Select Dropdown Option", 0, "y"))
    assert len(error) == 500
