"""The browser is found, watched and replaced."""

from __future__ import annotations

import os
import signal
import stat

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.errors import EpisodeBroken, HarnessBroken, SiteBroken
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.chromium_path import CHROMIUM_VARIABLE, find_chromium
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.processes import wait_until_gone
from tests.rollouts.browser.tiny_site import task


def make_program(path):
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_browser_is_the_one_in_the_settings(tmp_path, monkeypatch):
    wanted = make_program(tmp_path / "browser")
    monkeypatch.setenv(CHROMIUM_VARIABLE, "/nowhere")
    assert find_chromium(wanted) == wanted


def test_the_browser_may_be_named_in_the_environment(tmp_path, monkeypatch):
    wanted = make_program(tmp_path / "browser")
    monkeypatch.setenv(CHROMIUM_VARIABLE, wanted)
    assert find_chromium() == wanted


def test_the_small_browser_is_preferred_to_the_full_one(tmp_path, monkeypatch):
    monkeypatch.delenv(CHROMIUM_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium() is None
    full = make_program(tmp_path / "chromium")
    assert find_chromium() == full
    small = make_program(tmp_path / "chromium-headless-shell")
    assert find_chromium() == small


def test_a_browser_that_does_not_exist_is_named():
    with pytest.raises(HarnessBroken, match="/no/such/browser"):
        find_chromium("/no/such/browser")


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_program_that_is_no_browser_is_a_harness_error(tmp_path):
    pool = BrowserPool(PoolOptions(executable=make_program(tmp_path / "browser")))
    with pytest.raises(HarnessBroken, match="did not start"):
        await pool.open_page()
    await pool.close()


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_hung_page_does_not_disturb_another_episode(pool, site, serve):
    serve("<button onclick='for (;;) {}'>Hang</button><a href=/b>B</a>")
    host = ExternalHost({"shop": site.url})
    hung, other = BrowserEnvironment(pool, host), BrowserEnvironment(pool, host)
    await hung.reset(task(), limits=EpisodeLimits(deadline_s=1.0))
    await other.reset(task())
    with pytest.raises(SiteBroken):
        await hung.step('do(action="Click", element="0")')
    observation, *_ = await other.step('do(action="Click", element="1")')
    assert observation.url.endswith("/b")
    await other.close()


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_frozen_browser_is_killed_and_replaced(site, serve):
    serve("<button>A</button>")
    pool = BrowserPool(
        PoolOptions(prepared=0, close_deadline_s=0.5, ping_deadline_s=0.5)
    )
    environment = BrowserEnvironment(pool, ExternalHost({"shop": site.url}))
    await environment.reset(task(), limits=EpisodeLimits(deadline_s=1.0))
    frozen = pool.process_id
    os.killpg(os.getpgid(frozen), signal.SIGSTOP)
    with pytest.raises(EpisodeBroken):
        await environment.step('do(action="Click", element="0")')
    await wait_until_gone(frozen)
    observation, _ = await environment.reset(task())
    assert observation.text == '<button id="0">A</button>'
    await environment.close()
    last = pool.process_id
    await pool.close()
    await wait_until_gone(last)


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_browser_that_answers_late_keeps_its_other_episodes(site, serve):
    serve("<a href=/b>A</a>", b="<h1>B</h1>")
    pool = BrowserPool(PoolOptions(prepared=0, close_deadline_s=0.2))
    host = ExternalHost({"shop": site.url})
    ending, other = BrowserEnvironment(pool, host), BrowserEnvironment(pool, host)
    await ending.reset(task())
    await other.reset(task())
    slow = pool.process_id
    os.killpg(os.getpgid(slow), signal.SIGSTOP)
    await ending.close()
    await ending.reset(task())
    assert pool.process_id != slow
    os.killpg(os.getpgid(slow), signal.SIGCONT)
    observation, *_ = await other.step('do(action="Click", element="0")')
    assert observation.text == "<h1>B</h1>"
    await other.close()
    await wait_until_gone(slow)
    await ending.close()
    await pool.close()


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_frozen_browser_is_killed_with_its_other_episodes(site, serve):
    serve("<button>A</button>")
    pool = BrowserPool(
        PoolOptions(prepared=0, close_deadline_s=0.2, ping_deadline_s=0.2)
    )
    host = ExternalHost({"shop": site.url})
    ending, other = BrowserEnvironment(pool, host), BrowserEnvironment(pool, host)
    await ending.reset(task())
    await other.reset(task())
    frozen = pool.process_id
    os.killpg(os.getpgid(frozen), signal.SIGSTOP)
    await ending.close()
    await wait_until_gone(frozen)
    with pytest.raises(HarnessBroken):
        await other.step('do(action="Click", element="0")')
    await other.close()
    await pool.close()
