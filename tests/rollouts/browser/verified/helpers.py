"""A task as WebArena-Verified publishes them, and a scorer that knows its answer."""

from __future__ import annotations

import json
from typing import Any

from rollouts.browser.types import CheckResult
from rollouts.browser.verified.types import PackageFailed, VerifiedCase

ANSWER = {
    "evaluator": "AgentResponseEvaluator",
    "results_schema": {"type": "array", "items": {"type": "string"}},
    "expected": {"task_type": "retrieve", "status": "SUCCESS", "retrieved_data": ["7"]},
}
REQUEST = {
    "evaluator": "NetworkEventEvaluator",
    "expected": {"url": "__SHOP__/save", "http_method": "POST"},
}


def published(*rules: Any, **changes: Any) -> dict[str, Any]:
    return {
        "task_id": 7,
        "intent_template_id": 42,
        "sites": ["shop"],
        "start_urls": ["__SHOP__/"],
        "intent": "Find it",
        "eval": list(rules or (ANSWER,)),
    } | changes


def spec(*rules: Any) -> dict[str, Any]:
    return {
        "rule_set": "webarena-verified",
        "eval": {
            "eval_types": ["webarena_verified"],
            "published": published(*rules),
        },
    }


class FakeScorer:
    """Says the same of everything, and keeps what it was given."""

    def __init__(self, passed: bool = True, *, fails: bool = False) -> None:
        self.passed = passed
        self.fails = fails
        self.cases: list[VerifiedCase] = []
        self.requests: list[dict[str, Any]] = []

    async def score(self, case: VerifiedCase) -> list[CheckResult]:
        self.cases.append(case)
        if case.requests is not None:
            recorded = json.loads(case.requests.read_text("utf-8"))
            self.requests = recorded["log"]["entries"]
        if self.fails:
            raise PackageFailed("it is not there")
        return [CheckResult("webarena_verified.x", self.passed, "", "")]
