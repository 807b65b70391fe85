"""Evaluates recorded episodes again, under any rule set, without their sites.

The record has the answer, the last address and the last page, which is opened again in
a browser without network access. Other pages no longer exist: a check that needs one
stays undecided. Checks of the sandbox's state and of a page's own reward are taken over
from the record: they do not depend on a rule set.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators import (
    Ending,
    Judge,
    RuleSet,
    Verdict,
    eval_types,
    evaluate,
)
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.evaluators.types import PageNotRecorded
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.scoring.page_reader import TabReader
from rollouts.browser.types import CheckResult

# Evaluators that read what no longer exists.
TAKEN_OVER = ("state_match", "page_reward")
PAGES = "program_html"


@dataclasses.dataclass(frozen=True, slots=True)
class StoredEpisode:
    """The recorded end of an episode.

    Attributes:
        trajectory_id: Its row.
        key: The task's key.
        spec: The task object, with the episode's addresses in it.
        answer: The exit message, "" when the agent did not exit.
        url: Address of the last page.
        load_page: Gives the last page's HTML, "" when it was not recorded.
        outcome: The evaluators' outcome at the time.
        checks: The checks that led to it.
        has_exited: The agent ended it.
        stop: The published answer of an episode that was stopped.
    """

    trajectory_id: int
    key: str
    spec: dict[str, Any]
    answer: str
    url: str
    load_page: Callable[[], str]
    outcome: bool | None
    checks: tuple[CheckResult, ...]
    has_exited: bool = False
    stop: str = ""


# The recorder's addition to a frame, which a live page's text does not have.
_FRAMES = re.compile(r' data-recorded="" sandbox="" srcdoc="[^"]*"')


async def rescore(
    episodes: Iterable[StoredEpisode],
    rule_set: RuleSet,
    *,
    judge: Judge | None = None,
    options: PoolOptions | None = None,
) -> list[Verdict]:
    """Return the verdict on each episode, in order; a browser starts when needed."""
    pool = BrowserPool(options or PoolOptions(prepared=0))
    try:
        return [
            await _rescore(episode, rule_set, judge, _Recorded(pool, episode.load_page))
            for episode in episodes
        ]
    finally:
        await pool.close()


async def _rescore(
    episode: StoredEpisode, rule_set: RuleSet, judge: Judge | None, pages: _Recorded
) -> Verdict:
    rules = episode.spec.get("eval") or {}
    names = eval_types(episode.spec)
    asked = [name for name in names if name not in TAKEN_OVER]
    spec = {**episode.spec, "eval": {**rules, "eval_types": asked}}
    ending = Ending(
        episode.answer,
        episode.url,
        has_exited=episode.has_exited,
        stop=episode.stop,
    )
    verdict = await evaluate(spec, ending, pages, rule_set=rule_set, judge=judge)
    taken_over = tuple(name for name in names if name in TAKEN_OVER)
    if not taken_over:
        return verdict
    kept = [one for one in episode.checks if one.name.startswith(taken_over)]
    checks = (*verdict.checks, *kept)
    passed = {check.passed for check in checks}
    outcome = False if False in passed else None if None in passed or not kept else True
    return Verdict(outcome, checks)


class _Recorded:
    """Satisfies `PageReader` with the one page that was recorded."""

    def __init__(self, pool: BrowserPool, load_page: Callable[[], str]) -> None:
        self._pool = pool
        self._load_page = load_page

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        if url != "last":
            raise PageNotRecorded(Sentence("page_not_recorded", url=url))
        page = self._load_page()
        if not page:
            raise PageNotRecorded(Sentence("last_page_not_recorded"))
        if program is None:
            return _FRAMES.sub("", page)
        lease = await self._pool.open_page()
        try:
            await lease.page.set_content(page, wait_until="commit")
            return await TabReader(lease.page).read("last", program, clicks)
        finally:
            await self._pool.give_back(lease)
