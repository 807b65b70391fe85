"""Calls over the browser's own protocol, in real Chromium."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref

import pytest
from playwright.async_api import Error, Page

from rollouts.browser.observation.page_calls import CRASHED, call_script, calls_of
from tests.rollouts.browser.tiny_site import task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def page_of(environment, serve) -> Page:
    serve("<h1>Home</h1>")
    await environment.reset(task())
    page: Page = environment._episode.executor.page
    return page


async def test_a_call_waits_for_its_promise(environment, serve):
    calls = await calls_of(await page_of(environment, serve))
    assert await calls.evaluate("Promise.resolve({a: [1, 'x']})") == {"a": [1, "x"]}


async def test_what_a_page_throws_is_an_error(environment, serve):
    calls = await calls_of(await page_of(environment, serve))
    with pytest.raises(Error, match="no such luck"):
        await calls.evaluate("Promise.reject(new Error('no such luck'))")


async def test_a_page_has_one_session(environment, serve):
    page = await page_of(environment, serve)
    assert await calls_of(page) is await calls_of(page)


async def test_an_episode_leaves_nothing_of_its_pages_behind(environment, serve):
    page = weakref.ref(await page_of(environment, serve))
    await environment.close()
    gc.collect()
    assert page() is None


async def test_a_document_without_the_script_answers_nothing(environment, serve):
    page = await page_of(environment, serve)
    blank = await page.context.browser.new_page()
    assert await call_script(blank, "look", {}) is None
    await blank.close()


async def test_text_of_the_agent_is_never_code(environment, serve):
    page = await page_of(environment, serve)
    text = '"); document.title = "taken"; ("'
    found = await call_script(page, "act", "onElement", "edit", 7, None, text)
    assert "no elements" in json.loads(found)["error"]
    assert await page.title() != "taken"


async def test_a_call_to_a_page_that_crashes_fails_at_once(environment, serve):
    page = await page_of(environment, serve)
    calls = await calls_of(page)
    waiting = asyncio.ensure_future(calls.evaluate("new Promise(() => {})"))
    with pytest.raises(Error):
        await page.goto("chrome://crash")
    with pytest.raises(Error, match=CRASHED):
        await asyncio.wait_for(waiting, 10)
