"""Runs the evaluators on the page of an episode that has just ended."""

from __future__ import annotations

from typing import Any

from rollouts.browser.episode import Episode
from rollouts.browser.evaluators import (
    Ending,
    Judge,
    Verdict,
    eval_types,
    evaluate,
    rule_set_of,
)
from rollouts.browser.evaluators.magento import MagentoShop
from rollouts.browser.hosting.hosts import OpenSites, SiteHost
from rollouts.browser.observation.observations import SettleLimits
from rollouts.browser.scoring.early_stops import early_stop_answer
from rollouts.browser.scoring.limited_judge import LimitedJudge
from rollouts.browser.scoring.page_reader import TabReader
from rollouts.browser.types import Action, EndedBy
from rollouts.browser.verified.types import VerifiedScorer


async def read_state(
    host: SiteHost, spec: dict[str, Any], opened: OpenSites
) -> dict[str, Any]:
    """Read the sites' state if an evaluator needs it; else return {}."""
    if "state_match" not in eval_types(spec):
        return {}
    return await host.state(opened)


def looks_after_each_step(episode: Episode) -> bool:
    """Whether the task's rule set ends an episode as soon as it is a success."""
    rule_set = rule_set_of(episode.task.spec)
    return rule_set is not None and rule_set.ends_on_success


async def judge_episode(
    host: SiteHost,
    episode: Episode,
    action: Action,
    *,
    judge: Judge | None,
    shop: MagentoShop | None,
    verified: VerifiedScorer | None = None,
    settle: SettleLimits,
    ended_by: EndedBy | None,
) -> Verdict:
    """Return the evaluators' verdict on an episode after `action`.

    A judge is asked only where no other check has failed: it could not change that.
    """
    spec = episode.task.spec
    if not eval_types(spec):
        return Verdict(None, ())
    ending = Ending(
        answer=action.argument if action.name == "Exit" else "",
        url=episode.observation.url,
        state=await read_state(host, spec, episode.opened),
        state_at_start=episode.state_at_start,
        page=episode.page_ending,
        has_exited=action.name == "Exit",
        origins=episode.opened.origins,
        requests=await episode.request_log.end() if episode.request_log else None,
        stop=early_stop_answer(ended_by, episode.limits, last_action=action.name),
    )
    reader = TabReader(episode.executor.page, settle)
    if ended_by is None and judge is not None:
        verdict = await evaluate(spec, ending, reader, judge=None, shop=shop)
        if verdict.outcome is not None:
            return verdict
    if judge is not None:
        judge = LimitedJudge(judge, episode.limits.replies_deadline_s)
    return await evaluate(
        spec, ending, reader, judge=judge, shop=shop, verified=verified
    )
