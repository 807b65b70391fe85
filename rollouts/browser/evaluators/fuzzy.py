"""fuzzy_match: the checks that need a judge, and what can be decided without one."""

from __future__ import annotations

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.text import equals
from rollouts.browser.evaluators.types import Case, list_of_texts, shorten, undecided
from rollouts.browser.types import CheckResult

NO_JUDGE = Sentence("no_judge")
NO_JUDGE_OF_REASONS = Sentence("no_judge_of_reasons")
UNCLEAR = Sentence("judge_unclear")
IMPOSSIBLE = "N/A"


async def check_impossible(
    case: Case, earlier: list[CheckResult], answer: str
) -> list[CheckResult]:
    """The task is impossible: the agent must say N/A, or the reason why.

    As published, the judge's verdict on the reason replaces the `earlier` checks.
    """
    name = "string_match.fuzzy_match"
    is_right_so_far = all(check.passed for check in earlier)
    if is_right_so_far and equals(IMPOSSIBLE, answer, case.rule_set):
        return [*earlier, CheckResult(name, True, IMPOSSIBLE, answer)]
    reason = str(case.rules.get("string_note") or "")
    expected = f"{IMPOSSIBLE}, or: {reason}" if reason else IMPOSSIBLE
    if not reason or (not answer and case.rule_set.unanswered == "nothing"):
        why = Sentence("not_impossible")
        return [*earlier, CheckResult(name, False, expected, shorten(answer), why)]
    if case.judge is None:
        return [undecided(name, expected, answer, NO_JUDGE_OF_REASONS)]
    same = await case.judge.has_same_reason(
        instruction=case.instruction,
        reason=reason,
        answer=answer,
        prompts=case.rule_set.judge_prompts,
    )
    return [_judged(name, same, expected, answer, Sentence("judge_other_reason"))]


async def check_meaning(
    case: Case, name: str, wanted: object, text: str, *, joins: bool
) -> list[CheckResult]:
    """Compare meanings, reference by reference or all of them at once (`joins`).

    Raises:
        Malformed: The references are not a list of texts.
    """
    references = list_of_texts(wanted, name)
    if joins:
        references = [", ".join(references)]
    return [await _check_one(case, name, one, text) for one in references]


async def _check_one(case: Case, name: str, reference: str, text: str) -> CheckResult:
    rules = case.rule_set
    if rules.equal_suffices and equals(reference, text, rules):
        why = Sentence("equal_words")
        return CheckResult(name, True, reference, shorten(text), why)
    if case.judge is None:
        return undecided(name, reference, text, NO_JUDGE)
    same = await case.judge.has_same_meaning(
        instruction=case.instruction,
        reference=reference,
        answer=text,
        prompts=rules.judge_prompts,
    )
    return _judged(name, same, reference, text, Sentence("judge_other_meaning"))


def _judged(
    name: str, same: bool | None, expected: str, got: str, why: str
) -> CheckResult:
    if same is None:
        return undecided(name, expected, got, UNCLEAR)
    why = Sentence("judge_agrees") if same else why
    return CheckResult(name, same, expected, shorten(got), why)
