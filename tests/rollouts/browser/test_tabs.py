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
