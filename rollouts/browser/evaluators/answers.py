"""string_match: the agent's answer against the reference answers."""

from __future__ import annotations

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.fuzzy import (
    IMPOSSIBLE,
    check_impossible,
    check_meaning,
)
from rollouts.browser.evaluators.rule_sets import WHATEVER
from rollouts.browser.evaluators.text import (
    ALTERNATIVE,
    equals,
    excludes,
    includes,
    meets,
    normalise,
    read_integer,
)
from rollouts.browser.evaluators.types import (
    Case,
    list_of_texts,
    shorten,
    undecided,
)
from rollouts.browser.types import CheckResult


async def match_answer(case: Case) -> list[CheckResult]:
    """Check each rule of `reference_answers`, on the answer without its quotes."""
    rules = case.rule_set
    answer = normalise(find_answer(case), strips=rules.strips)
    checks: list[CheckResult] = []
    for rule, wanted in (case.rules.get("reference_answers") or {}).items():
        name = f"string_match.{rule}"
        if rule not in rules.answer_rules:
            why = Sentence("no_such_rule", name=rules.name, rule=repr(rule))
            checks.append(undecided(name, str(wanted), answer, why))
        elif rule == "fuzzy_match" and wanted == IMPOSSIBLE:
            checks = await check_impossible(case, checks, answer)
        elif rule == "fuzzy_match":
            is_joined = rules.joins_fuzzy
            checks += await check_meaning(case, name, wanted, answer, joins=is_joined)
        else:
            checks += check_text(name, rule, wanted, answer, case)
    return checks


def find_answer(case: Case) -> str:
    """Return the agent's answer, or what counts as its answer where it gave none."""
    ending = case.ending
    if ending.answer or ending.has_exited or case.rule_set.unanswered == "nothing":
        return ending.answer
    return WHATEVER if case.rule_set.unanswered == WHATEVER else ending.stop


def check_text(
    name: str,
    rule: str,
    wanted: object,
    text: str,
    case: Case,
    *,
    is_page: bool = False,
) -> list[CheckResult]:
    """Check one rule that needs no judge, on an answer or a page's contents.

    Raises:
        Malformed: The rule's value cannot be read.
    """
    rules = case.rule_set
    if rule == "exact_match":
        passed = equals(str(wanted), text, rules)
        return [_check(name, passed, str(wanted), text, Sentence("text_differs"))]
    if rule == "one_of":
        phrases = list_of_texts(wanted, name)
        passed = any(normalise(one, strips=rules.strips) in text for one in phrases)
        expected = " or ".join(phrases)
        return [_check(name, passed, expected, text, Sentence("none_there"))]
    if rule == "required_values":
        return _check_values(name, wanted, text)
    phrases = list_of_texts(wanted, name)
    return [
        _check_phrase(name, rule, phrase, text, case, len(phrases) == 1, is_page)
        for phrase in phrases
    ]


def _check_phrase(
    name: str,
    rule: str,
    phrase: str,
    text: str,
    case: Case,
    is_only: bool,
    is_page: bool,
) -> CheckResult:
    rules = case.rule_set
    if rule == "must_exclude":
        passed = excludes(phrase, text, rules)
        return _check(name, passed, f"not {phrase}", text, Sentence("phrase_there"))
    splits = is_page or rules.has_alternatives
    alternatives = phrase.split(ALTERNATIVE) if splits else [phrase]
    alone = is_only and not is_page
    passed = any(includes(one, text, rules, alone=alone) for one in alternatives)
    return _check(name, passed, phrase, text, Sentence("phrase_missing"))


def _check_values(name: str, wanted: object, text: str) -> list[CheckResult]:
    value = read_integer(text)
    checks = []
    for inequality in list_of_texts(wanted, name):
        passed = value is not None and meets(value, inequality)
        why = Sentence("no_whole_number" if value is None else "number_outside")
        checks.append(_check(name, passed, inequality, text, why))
    return checks


def _check(name: str, passed: bool, expected: str, got: str, why: str) -> CheckResult:
    return CheckResult(name, passed, expected, shorten(got), "" if passed else why)
