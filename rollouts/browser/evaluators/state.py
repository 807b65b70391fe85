"""WebArena's evaluators, typed and closed, and one that reads the site's state.

Rule set "webarena": the score is 1 when every check passes. Nothing from a task
file is evaluated as code; no model is asked. A check that would need a judge
stays undecided, and an episode with such a check has no outcome unless another
check has failed.
"""

from __future__ import annotations

import dataclasses
import html
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from rollouts.browser.locators import LocatorError, parse_locator
from rollouts.browser.types import CheckResult

Json = Mapping[str, Any]
NEEDS_JUDGE = "needs a judge"


class PageUnreadable(Exception):
    """The page that a check asks for was not reached."""


class PageReader(Protocol):
    """What an evaluator may ask of the episode's browser."""

    async def html_of(self, url: str, locator: str) -> str:
        """Return what a locator finds at an address ("last": the current page).

        Raises:
            PageUnreadable: The address was not reached.
        """
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """What an episode left behind.

    Attributes:
        answer: The exit message, "" when the agent did not exit.
        url: Address of the last page.
        state: The sites' change sets now.
        state_at_start: The same before the first step.
    """

    answer: str
    url: str
    state: Json
    state_at_start: Json


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """`outcome` is None where nothing can be said."""

    outcome: bool | None
    checks: tuple[CheckResult, ...]


async def evaluate(spec: Json, ending: Ending, reader: PageReader) -> Verdict:
    """Run every evaluator of a task object."""
    rules = spec.get("eval") or {}
    checks: list[CheckResult] = []
    for name in eval_types(spec):
        evaluator = _EVALUATORS.get(name)
        if evaluator is None:
            checks.append(_undecided(name, "", "", f"unknown evaluator {name!r}"))
            continue
        try:
            checks += await evaluator(rules, ending, reader)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"malformed rules: {type(error).__name__} {error}"
            checks.append(_undecided(name, "", "", why))
    return Verdict(_outcome(checks), tuple(checks))


def eval_types(spec: Json) -> tuple[str, ...]:
    """Return the names of a task's evaluators."""
    rules = spec.get("eval")
    names = rules.get("eval_types") if isinstance(rules, Mapping) else None
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def _outcome(checks: list[CheckResult]) -> bool | None:
    decided = [check for check in checks if not check.why.startswith(NEEDS_JUDGE)]
    if any(not check.passed for check in decided):
        return False
    return True if decided and len(decided) == len(checks) else None


def _undecided(name: str, expected: str, got: str, why: str) -> CheckResult:
    return CheckResult(name, False, expected, got, f"{NEEDS_JUDGE}: {why}")


def normalise(text: str) -> str:
    """Strip, drop one pair of outer quotes, lower the case. Nothing else."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.lower()


def includes(reference: str, answer: str, *, alone: bool) -> bool:
    """Whether a phrase is in the answer; a lone single letter must be a word."""
    wanted, got = normalise(reference), normalise(answer)
    if alone and len(wanted) == 1:
        return wanted in re.findall(r"\w+|[^\w\s]", got)
    return wanted in got


async def _string_match(
    rules: Json, ending: Ending, reader: PageReader
) -> list[CheckResult]:
    answers = rules.get("reference_answers") or {}
    checks: list[CheckResult] = []
    for kind, wanted in answers.items():
        name = f"string_match.{kind}"
        if kind == "exact_match":
            passed = normalise(str(wanted)) == normalise(ending.answer)
            why = "" if passed else "the answer differs"
            checks.append(CheckResult(name, passed, str(wanted), ending.answer, why))
        elif kind == "must_include":
            checks += _must_include(name, _as_list(wanted), ending.answer)
        elif kind == "fuzzy_match":
            checks.append(_fuzzy(name, wanted, ending.answer))
        else:
            checks.append(_undecided(name, str(wanted), ending.answer, "unknown rule"))
    return checks


def _must_include(name: str, wanted: list[str], answer: str) -> list[CheckResult]:
    alone = len(wanted) == 1
    checks = []
    for phrase in wanted:
        passed = includes(phrase, answer, alone=alone)
        why = "" if passed else "the phrase is not in the answer"
        checks.append(CheckResult(name, passed, phrase, answer, why))
    return checks


def _fuzzy(name: str, wanted: Any, answer: str) -> CheckResult:
    phrases = _as_list(wanted)
    matches = all(normalise(phrase) == normalise(answer) for phrase in phrases)
    expected = " and ".join(phrases)
    if matches:
        return CheckResult(name, True, expected, answer, "equal word for word")
    if phrases == ["N/A"]:
        return CheckResult(name, False, expected, answer, "the answer is not N/A")
    return _undecided(name, expected, answer, "compares meaning, not words")


async def _url_match(
    rules: Json, ending: Ending, reader: PageReader
) -> list[CheckResult]:
    wanted = str(rules.get("reference_url") or "")
    passed = urls_match(wanted, ending.url)
    why = "" if passed else "the last page is another one"
    return [CheckResult("url_match", passed, wanted, ending.url, why)]


def urls_match(wanted: str, url: str) -> bool:
    """Compare addresses as WebArena does: host and path contained, query values met."""
    base, query = _split_url(url)
    references = [_split_url(part) for part in wanted.split(" |OR| ")]
    if not any(reference in base for reference, _ in references):
        return False
    allowed: dict[str, set[str]] = {}
    for _, values in references:
        for key, given in values.items():
            allowed.setdefault(key, set()).update(given)
    return all(given & set(query.get(key, ())) for key, given in allowed.items())


def _split_url(url: str) -> tuple[str, dict[str, list[str]]]:
    parts = urlsplit(url.strip().rstrip("/"))
    return (parts.netloc + parts.path).rstrip("/"), parse_qs(parts.query)


async def _program_html(
    rules: Json, ending: Ending, reader: PageReader
) -> list[CheckResult]:
    checks: list[CheckResult] = []
    for target in rules.get("program_html") or ():
        url, locator = (
            str(target.get("url") or "last"),
            str(target.get("locator") or ""),
        )
        if url.startswith("func:"):
            checks.append(_undecided("program_html", url, "", "computed address"))
            continue
        try:
            parse_locator(locator)
            content = await reader.html_of(url, locator)
        except LocatorError as error:
            checks.append(_undecided("program_html", locator, "", str(error)))
        except PageUnreadable as error:
            checks.append(CheckResult("program_html", False, url, "", str(error)))
        else:
            required = target.get("required_contents") or {}
            checks += _contents(required, content, locator)
    return checks


def _contents(required: Json, content: str, locator: str) -> list[CheckResult]:
    content = html.unescape(content)
    shown = content if len(content) <= 300 else f"{content[:300]}..."
    where = locator or "the whole page"
    checks: list[CheckResult] = []
    if "exact_match" in required:
        wanted = str(required["exact_match"])
        passed = normalise(wanted) == normalise(content)
        why = "" if passed else f"{where} reads otherwise"
        checks.append(
            CheckResult("program_html.exact_match", passed, wanted, shown, why)
        )
    for phrase in _as_list(required.get("must_include") or []):
        passed = any(
            includes(part, content, alone=False) for part in phrase.split(" |OR| ")
        )
        why = "" if passed else f"not in {where}"
        checks.append(
            CheckResult("program_html.must_include", passed, phrase, shown, why)
        )
    return checks


async def _state_match(
    rules: Json, ending: Ending, reader: PageReader
) -> list[CheckResult]:
    wanted = rules.get("reference_state") or []
    checks = [_state_check(item, ending.state) for item in wanted]
    named: dict[str, set[str]] = {}
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
    why = "" if passed else f"{site}.{path} is otherwise"
    expected = json.dumps(item["equals"], sort_keys=True)
    return CheckResult(
        f"state_match.{site}.{path}", passed, expected, json.dumps(got), why
    )


def _child(value: Any, key: str) -> Any:
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
    why = f"{', '.join(changed)} changed too" if changed else ""
    return CheckResult(
        f"state_match.{site}.rest", not changed, "unchanged", json.dumps(changed), why
    )


def _as_list(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


_Evaluator = Callable[[Json, Ending, PageReader], Awaitable[list[CheckResult]]]
_EVALUATORS: dict[str, _Evaluator] = {
    "string_match": _string_match,
    "url_match": _url_match,
    "program_html": _program_html,
    "state_match": _state_match,
}
EVAL_TYPES = frozenset(_EVALUATORS)
