"""What the evaluators say of an episode that has just ended, read from its page."""

from __future__ import annotations

from typing import Any

from rollouts.browser.episode import Episode
from rollouts.browser.evaluators import Ending, Judge, Verdict, eval_types, evaluate
from rollouts.browser.evaluators.magento import MagentoShop
from rollouts.browser.hosting.hosts import OpenSites, SiteHost
from rollouts.browser.scoring.page_reader import TabReader
from rollouts.browser.types import Action


async def read_state(
    host: SiteHost, spec: dict[str, Any], opened: OpenSites
) -> dict[str, Any]:
    """Read the sites' state, where an evaluator will want it; else return {}."""
    if "state_match" not in eval_types(spec):
        return {}
    return await host.state(opened)


async def judge_episode(
    host: SiteHost,
    episode: Episode,
    action: Action,
    *,
    judge: Judge | None,
    shop: MagentoShop | None,
) -> Verdict:
    """Return the evaluators' verdict on an episode that `action` has ended."""
    spec = episode.task.spec
    if not eval_types(spec):
        return Verdict(None, ())
    ending = Ending(
        answer=action.argument if action.name == "Exit" else "",
        url=episode.observation.url,
        state=await read_state(host, spec, episode.opened),
        state_at_start=episode.state_at_start,
        page=episode.page_ending,
    )
    reader = TabReader(episode.executor.page)
    return await evaluate(spec, ending, reader, judge=judge, shop=shop)
