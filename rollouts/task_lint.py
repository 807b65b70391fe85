"""Finds tasks that cannot be scored, or not without a judge, before they run.

The linter uses the evaluators themselves: it runs them on an empty page and an empty
answer, without a judge, and reports each check that they leave undecided.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from curriculum.task_files.suites import PAGE_SUITES
from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators import Ending, eval_types, evaluate
from rollouts.browser.evaluators.fuzzy import NO_JUDGE, NO_JUDGE_OF_REASONS
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.verified.match import NO_PACKAGE

Kind = Literal[
    "unscorable",
    "needs judge",
    "needs shop",
    "needs package",
    "suspicious",
    "unchecked",
]
KINDS: dict[Kind, Sentence] = {
    "unscorable": Sentence("unscorable"),
    "needs judge": Sentence("needs_judge"),
    "needs shop": Sentence("needs_token"),
    "needs package": Sentence("needs_package"),
    "suspicious": Sentence("suspicious"),
    "unchecked": Sentence("unchecked"),
}
IMPOSSIBLE = "N/A"
NO_SUITE = Sentence("no_suite")


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One finding about a task.

    Attributes:
        place: The task's place in its file: "Line 12, task 3".
        key: The task's key.
        kind: The kind of problem.
        field: The part of the task with the problem.
        message: What is wrong, in words.
    """

    place: str
    key: str
    kind: Kind
    field: str
    message: str


class _BlankPages:
    """Satisfies `PageReader`: every page exists and is empty."""

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        return ""


def lint_tasks(tasks: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Finding]:
    """Check every (place, task object); findings are in the order of the tasks."""
    return asyncio.run(_lint_all(list(tasks)))


def count_kinds(findings: Iterable[Finding]) -> dict[Kind, int]:
    """How many tasks have findings of each kind, most serious kind first."""
    tasks = {(finding.kind, finding.place) for finding in findings}
    counts = Counter(kind for kind, _ in tasks)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


async def _lint_all(tasks: list[tuple[str, Mapping[str, Any]]]) -> list[Finding]:
    findings: list[Finding] = []
    seen: dict[tuple[str, str], str] = {}
    for place, spec in tasks:
        key = str(spec.get("key") or "")
        for kind, field, message in await _lint(spec):
            finding = Finding(place, key, kind, field, message)
            if finding not in findings[-8:]:
                findings.append(finding)
        name = (str(spec.get("intent")), str(spec.get("start_url")))
        if name in seen:
            message = Sentence("same_instruction", place=seen[name])
            findings.append(Finding(place, key, "suspicious", "intent", message))
        seen.setdefault(name, place)
    return findings


async def _lint(spec: Mapping[str, Any]) -> list[tuple[Kind, str, str]]:
    names = eval_types(spec)
    if not names:
        return [("unchecked", "eval", KINDS["unchecked"])]
    verdict = await evaluate(spec, Ending("", "http://127.0.0.1/"), _BlankPages())
    found: list[tuple[Kind, str, str]] = [
        (_kind_of(check.why), check.name, check.why)
        for check in verdict.checks
        # The check that `_suspect` covers, under every rule set.
        if check.passed is None and check.why != NO_JUDGE_OF_REASONS
    ]
    if "page_reward" in names and spec.get("suite") not in PAGE_SUITES:
        found.append(("unscorable", "page_reward", NO_SUITE))
    for name in names:
        if not any(check.name.startswith(name) for check in verdict.checks):
            told = Sentence("nothing_to_check", name=name)
            found.append(("unscorable", name, told))
    return found + list(_suspect(spec["eval"]))


def _kind_of(why: str) -> Kind:
    if why == NO_JUDGE:
        return "needs judge"
    if why == NO_PACKAGE:
        return "needs package"
    needs_shop = isinstance(why, Sentence) and why.code == "needs_shop"
    return "needs shop" if needs_shop else "unscorable"


def _suspect(rules: Mapping[str, Any]) -> Iterator[tuple[Kind, str, str]]:
    """Rules that can be applied but are probably not what was meant."""
    answers = rules.get("reference_answers")
    if not isinstance(answers, Mapping) or "string_match" not in rules["eval_types"]:
        return
    fuzzy = answers.get("fuzzy_match")
    if fuzzy == [IMPOSSIBLE]:
        yield "suspicious", "string_match.fuzzy_match", Sentence("list_of_impossible")
    if fuzzy == IMPOSSIBLE and rules.get("string_note"):
        yield "needs judge", "string_match.fuzzy_match", Sentence("reason_needs_judge")
    if answers.get("must_include") == [IMPOSSIBLE]:
        yield (
            "suspicious",
            "string_match.must_include",
            Sentence("impossible_contained"),
        )
