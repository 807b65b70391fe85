"""Fields whose value the browser checks, such as dates, in real Chromium."""

from __future__ import annotations

import pytest

from tests.rollouts.browser.actions.playing import error_of, text_after
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("color", "#FFF000", "#fff000"),
        ("color", "#000000", "#000000"),
        ("datetime-local", "2024-01-01 10:00", "2024-01-01T10:00"),
        ("time", "09:30", "09:30"),
        ("range", "7.0", "7"),
    ],
)
async def test_a_value_is_accepted_as_the_browser_writes_it(
    environment, serve, kind, text, value
):
    serve(f"<input type={kind} oninput='document.title = Number(value) || value'>")
    await environment.reset(task())
    await text_after(environment, do("Type", 0, text))
    title = await environment._episode.executor.page.title()
    assert title == value


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("date", "2024-01-02", "03/15/2024"),
        ("time", "08:00", "9:30"),
        ("color", "#112233", "reddish"),
        ("color", "#112233", ""),
        ("range", "30", "much"),
        ("range", "30", "130"),
    ],
)
async def test_a_refused_value_leaves_the_field_as_it_was(
    environment, serve, kind, value, text
):
    serve(f"<input type={kind} value={value} oninput='document.title = 1'>")
    await environment.reset(task())
    assert "does not accept" in await error_of(environment, do("Type", 0, text))
    page = environment._episode.executor.page
    assert await page.input_value("input") == value
    assert await page.title() == "Tiny"


async def test_a_date_can_be_removed(environment, serve):
    serve("<input type=date value=2024-01-02>")
    await environment.reset(task())
    assert "value" not in await text_after(environment, do("Type", 0, ""))
