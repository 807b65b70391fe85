"""What lies in a shadow root is scrolled and waited for as everything else is."""

from __future__ import annotations

import pytest

from tests.rollouts.browser.actions.playing import text_after
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def box(shadow: str, light: str = "") -> str:
    """Write an element whose open shadow root holds `shadow`."""
    return (
        f"<body style='margin: 0; overflow: hidden'><my-box>{light}</my-box><script>"
        "customElements.define('my-box', class extends HTMLElement { constructor() {"
        f"super(); this.attachShadow({{mode: 'open'}}).innerHTML = `{shadow}`; }} }});"
        "</script>"
    )


async def read_down(environment):
    """Scroll to the end; return the last page."""
    for _ in range(30):
        seen, _, _, _, info = await environment.step(do("Scroll Down"))
        if info["error"]:
            assert info["error"] == "The page is already at its bottom."
            return seen.text
    raise AssertionError("There is no end.")


LONG = "<p>top</p><div style='height: 860px'></div><button>low</button>"
PANEL = "<div style='height: {height}px; overflow-y: auto'>{inside}</div>"


@pytest.mark.parametrize("height", [720, 90])
async def test_a_part_that_scrolls_is_scrolled(environment, serve, height):
    serve(box(PANEL.format(height=height, inside=LONG)))
    seen, _ = await environment.reset(task())
    assert seen.text == "<p>top</p>"
    assert await read_down(environment) == '<button id="0">low</button>'


async def test_what_is_slotted_into_a_panel_is_scrolled_by_it(environment, serve):
    panel = PANEL.format(height=720, inside="<slot></slot>")
    serve(box(panel, f"<section>{LONG}</section>"))
    await environment.reset(task())
    assert await read_down(environment) == '<button id="0">low</button>'


@pytest.mark.parametrize("size", ["width: 1280px; height: 720px", "height: 90px"])
async def test_a_frame_is_scrolled(environment, serve, size):
    serve(box(f"<iframe src=/inner style='border: 0; {size}'>"), inner=LONG)
    seen, _ = await environment.reset(task())
    assert "top" in seen.text
    assert "low" in await read_down(environment)


async def test_what_a_click_brings_in_a_frame_is_waited_for(environment, serve):
    later = "setTimeout(() => { this.textContent = 'Done'; }, 300)"
    serve(box("<iframe src=/inner>"), inner=f'<button onclick="{later}">Wait</button>')
    await environment.reset(task())
    assert "Done" in await text_after(environment, do("Click", 0))
