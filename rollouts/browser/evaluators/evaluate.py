"""Runs a task's evaluators: the outcome is a success when every check passes.

Nothing from a task file is evaluated as code. A check that cannot be decided (it
compares meanings and no judge is set, it names an unknown function) leaves the
outcome open, unless another check has failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.answers import match_answer
from rollouts.browser.evaluators.pages import match_pages
from rollouts.browser.evaluators.rewards import match_reward
from rollouts.browser.evaluators.rule_sets import DEFAULT, RULE_SETS, RuleSet
from rollouts.browser.evaluators.state import match_state
from rollouts.browser.evaluators.types import (
    Case,
    Ending,
    Json,
    Judge,
    Malformed,
    PageReader,
    Shop,
    Verdict,
    undecided,
)
from rollouts.browser.evaluators.urls import match_url
from rollouts.browser.types import CheckResult
from rollouts.browser.verified.match import match_verified
from rollouts.browser.verified.types import VerifiedScorer

_Evaluator = Callable[[Case], Awaitable[list[CheckResult]]]
_EVALUATORS: dict[str, _Evaluator] = {
    "string_match": match_answer,
    "url_match": match_url,
    "program_html": match_pages,
    "state_match": match_state,
    "page_reward": match_reward,
    "webarena_verified": match_verified,
}
EVAL_TYPES = frozenset(_EVALUATORS)


async def evaluate(
    spec: Json,
    ending: Ending,
    reader: PageReader,
    *,
    rule_set: RuleSet | None = None,
    judge: Judge | None = None,
    shop: Shop | None = None,
    verified: VerifiedScorer | None = None,
) -> Verdict:
    """Run every evaluator of a task object in WebArena's JSON format.

    Without a `rule_set` the task's own applies, or else the workbench's.
    """
    rule_set = rule_set or rule_set_of(spec)
    if rule_set is None:
        why = Sentence("unknown_rule_set", known=", ".join(RULE_SETS))
        return Verdict(
            None, (undecided("rule_set", str(spec.get("rule_set")), "", why),)
        )
    case = Case(
        instruction=str(spec.get("intent") or ""),
        rules=spec.get("eval") or {},
        ending=ending,
        reader=reader,
        rule_set=rule_set,
        judge=judge,
        shop=shop,
        verified=verified,
    )
    checks: list[CheckResult] = []
    for name in eval_types(spec):
        checks += await _run(name, case)
    return Verdict(_outcome(checks), tuple(checks))


def rule_set_of(spec: Json) -> RuleSet | None:
    """Return the rule set that a task names, or ours; None for an unknown name."""
    return RULE_SETS.get(str(spec.get("rule_set") or DEFAULT))


def eval_types(spec: Json) -> tuple[str, ...]:
    """Return the names of a task's evaluators."""
    rules = spec.get("eval")
    names = rules.get("eval_types") if isinstance(rules, Mapping) else None
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


async def _run(name: str, case: Case) -> list[CheckResult]:
    evaluator = _EVALUATORS.get(name)
    if evaluator is None:
        why = Sentence("unknown_evaluator", name=repr(name))
        return [undecided(name, "", "", why)]
    try:
        return await evaluator(case)
    except Malformed as error:
        told = str(error)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        told = f"{type(error).__name__} {error}"
    passed = False if case.rule_set.malformed_fails else None
    why = Sentence("malformed_rules", sentence=told)
    return [CheckResult(name, passed, "", "", why)]


def _outcome(checks: list[CheckResult]) -> bool | None:
    if not checks or any(check.passed is False for check in checks):
        return False if checks else None
    return None if any(check.passed is None for check in checks) else True
