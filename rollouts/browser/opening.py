"""Opens an episode: its sites, a fresh page, and the tabs that its task starts on."""

from __future__ import annotations

import time

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.actions.executor import Executor
from rollouts.browser.episode import Episode, EpisodeLimits, Recording
from rollouts.browser.failure_cause import visit
from rollouts.browser.forking import EpisodeSnapshot
from rollouts.browser.hosting.home_page import find_home_page
from rollouts.browser.hosting.hosts import (
    OpenSites,
    SiteHost,
    find_site,
    locate_task,
    start_urls,
)
from rollouts.browser.hosting.signing_in import SignIns
from rollouts.browser.observation.observations import NAVIGATION_MS
from rollouts.browser.process.pool import BrowserPool, PageLease
from rollouts.browser.process.request_log import RequestLog
from rollouts.browser.process.tracing import begin_trace
from rollouts.browser.scoring.episode_scoring import read_state
from rollouts.browser.suites import find_suite
from rollouts.browser.types import TaskSpec
from rollouts.browser.verified.types import wants_requests

# Longest wait for a page that is opened outside an action, unless an exchange may take
# longer: Playwright's own.
LOAD_MS = 30_000.0


async def open_episode(
    pool: BrowserPool,
    host: SiteHost,
    task: TaskSpec,
    *,
    limits: EpisodeLimits,
    recording: Recording,
    start: EpisodeSnapshot | None,
    acting: ActingOptions,
    navigation_ms: float = NAVIGATION_MS,
) -> Episode:
    """Open the task's sites and an empty page.

    Raises:
        EpisodeBroken: The site or the browser failed.
    """
    if start:
        opened = await host.fork(start.opened)
    else:
        opened = (await host.open(task.sites)).moved(task.addresses)
    try:
        pool.allow(host.allowed(opened))
        made = await _make_episode(pool, host, task, opened, limits, recording)
        made.executor.acting, made.executor.navigation_ms = acting, navigation_ms
        return made
    except BaseException:
        await host.close(opened)
        raise


async def _make_episode(
    pool: BrowserPool,
    host: SiteHost,
    task: TaskSpec,
    opened: OpenSites,
    limits: EpisodeLimits,
    recording: Recording,
) -> Episode:
    suite = find_suite(task.spec)
    state = await read_state(host, task.spec, opened)
    located = locate_task(task, opened)
    home = find_home_page(start_urls(located), opened)
    lease = await pool.open_page(opened.origins)
    try:
        await begin_trace(lease, recording.traces)
        # Pages that are opened here are waited for as long as the exchange may take.
        load_ms = max(LOAD_MS, limits.deadline_s * 1000)
        lease.context.set_default_navigation_timeout(load_ms)
        return Episode(
            task=located,
            opened=opened,
            lease=lease,
            executor=Executor(lease.context, lease.page, home, opened.origins),
            limits=limits,
            recording=recording,
            state_at_start=state,
            suite=suite,
            request_log=await _log_requests(lease, task),
            deadline=time.monotonic() + limits.seconds,
        )
    except BaseException:
        await pool.give_back(lease)
        raise


async def _log_requests(lease: PageLease, task: TaskSpec) -> RequestLog | None:
    if not wants_requests(task.spec):
        return None
    log = RequestLog(lease.context)
    await log.begin()
    return log


async def show_start(episode: Episode, sign_ins: SignIns) -> None:
    """Open each start address in a tab of its own; the first is the active one.

    Raises:
        SiteBroken: A start page is not reached, or the sign-in failed.
    """
    context, opened = episode.lease.context, episode.opened
    page, urls = episode.executor.page, start_urls(episode.task)
    shown = {find_site(url, opened) for url in urls}
    with episode.paused():
        given = await sign_ins.prepare(context, opened, shown)
    for number, url in enumerate(urls):
        tab = await context.new_page() if number else page
        await visit(tab, url)
        await sign_ins.check(tab, url, opened, given, pause=episode.paused)
        if number:
            await tab.wait_for_load_state("domcontentloaded")
    if len(urls) > 1:
        await page.bring_to_front()
    if episode.suite is not None:
        await episode.suite.begin(page, episode.task)
