"""Drop-down lists with more options than an observation shows."""

from __future__ import annotations

import re

import pytest

from tests.rollouts.browser.actions.playing import text_after
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def a_list(count, selected=0):
    options = (
        f"<option{' selected' if n == selected else ''}>O{n}" for n in range(count)
    )
    return f"<select aria-label=Sort>{''.join(options)}</select>"


async def test_a_list_says_how_many_options_are_left_out(environment, serve):
    serve(a_list(60))
    text = (await environment.reset(task()))[0].text
    assert text.endswith("<option>O49</option>and 10 more options</select>")


async def test_the_selected_option_is_always_shown(environment, serve):
    serve(a_list(60, selected=55))
    text = (await environment.reset(task()))[0].text
    assert text.endswith("<option selected>O55</option>and 9 more options</select>")
    text = await text_after(environment, do("Select Dropdown Option", 0, "O57"))
    assert re.findall(r"selected>(\w+)", text) == ["O57"]


async def test_a_list_of_fifty_is_shown_as_it_is(environment, serve):
    serve(a_list(50))
    text = (await environment.reset(task()))[0].text
    assert text.endswith("<option>O49</option></select>")
