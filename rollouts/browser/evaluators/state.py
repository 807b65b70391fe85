"""state_match: the required changes in the sandbox's state, and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.types import Case, Ending, Json
from rollouts.browser.types import CheckResult


async def match_state(case: Case) -> list[CheckResult]:
    """Check each entry of `reference_state`, and the rest of all the task's sites."""
    ending = case.ending
    wanted = case.rules.get("reference_state") or []
    checks = [_state_check(item, ending.state) for item in wanted]
    named: dict[str, set[str]] = {site: set() for site in ending.state}
    for item in wanted:
        named.setdefault(item["site"], set()).add(str(item["path"]).split(".")[0])
    for site, keys in named.items():
        checks.append(_rest_unchanged(site, keys, ending))
    return checks


def _state_check(item: Json, state: Json) -> CheckResult:
    site, path = item["site"], str(item["path"])
    got: Any = state.get(site)
    for key in path.split("."):
        got = _child(got, key)
    passed = got == item["equals"]
    why = "" if passed else Sentence("state_differs", place=f"{site}.{path}")
    expected = json.dumps(item["equals"], sort_keys=True)
    return CheckResult(
        f"state_match.{site}.{path}", passed, expected, json.dumps(got), why
    )


def _child(value: object, key: str) -> object:
    if isinstance(value, Mapping):
        return value.get(key)
    if isinstance(value, list) and key.isdigit() and int(key) < len(value):
        return value[int(key)]
    return None


def _rest_unchanged(site: str, named: set[str], ending: Ending) -> CheckResult:
    before, after = ending.state_at_start.get(site) or {}, ending.state.get(site) or {}
    changed = {
        key: after.get(key)
        for key in sorted({*before, *after} - named)
        if before.get(key) != after.get(key)
    }
    why = Sentence("rest_changed", names=", ".join(changed)) if changed else ""
    return CheckResult(
        f"state_match.{site}.rest", not changed, "unchanged", json.dumps(changed), why
    )
