"""program_html: what the last page, or another one, must contain."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.answers import check_text
from rollouts.browser.evaluators.functions import (
    FUNCTION,
    MEMBER_ROLE,
    REVIEW_AUTHOR,
    REVIEW_RATING,
    UnknownFunction,
    compute_address,
    parse_function,
    read_review,
    role_program,
)
from rollouts.browser.evaluators.fuzzy import check_meaning
from rollouts.browser.evaluators.locators import (
    LocatorError,
    Program,
    parse_click,
    parse_locator,
)
from rollouts.browser.evaluators.types import (
    Case,
    Malformed,
    PageNotRecorded,
    PageUnreadable,
    ShopUnreadable,
    undecided,
)
from rollouts.browser.types import CheckResult

NAME = "program_html"
# Published order: the first of these that a target has applies.
RULES = (
    "exact_match",
    "must_include",
    "must_exclude",
    "required_values",
    "fuzzy_match",
)


async def match_pages(case: Case) -> list[CheckResult]:
    """Check each target of `program_html`.

    Raises:
        Malformed: A target is not an object, or requires nothing.
    """
    checks: list[CheckResult] = []
    for target in case.rules.get("program_html") or ():
        if not isinstance(target, Mapping):
            raise Malformed(Sentence("no_objects", name=NAME))
        checks += await _match_target(case, target)
    return checks


async def _match_target(case: Case, target: Mapping[str, Any]) -> list[CheckResult]:
    url, locator = (
        str(target.get("url") or "last"),
        str(target.get("locator") or ""),
    )
    required = target.get("required_contents") or {}
    try:
        if url.startswith(FUNCTION):
            url = await compute_address(url, case.ending.url, case.shop)
        content = await _read(case, url, locator, target)
    except (LocatorError, UnknownFunction) as error:
        return [undecided(NAME, locator or url, "", str(error))]
    except (PageNotRecorded, ShopUnreadable) as error:
        return [undecided(NAME, url, "", str(error))]
    except PageUnreadable as error:
        return [CheckResult(NAME, False, url, "", str(error))]
    if case.rule_set.unescapes:
        content = html.unescape(content)
    return await _check_contents(case, required, content)


async def _read(case: Case, url: str, locator: str, target: Mapping[str, Any]) -> str:
    reader, wait_ms = case.reader, case.rule_set.page_wait_ms
    if locator.strip().startswith(FUNCTION):
        call = parse_function(locator.strip())
        if call.name in (REVIEW_AUTHOR, REVIEW_RATING):
            return await read_review(call, case.shop)
        if call.name != MEMBER_ROLE:
            raise UnknownFunction(Sentence("no_page_read", name=call.name))
        return await reader.read(url, role_program(call.arguments[0]), wait_ms=wait_ms)
    program: Program | None = parse_locator(locator)
    clicks = [parse_click(str(text)) for text in target.get("prep_actions") or ()]
    return await reader.read(url, program, clicks, wait_ms=wait_ms)


async def _check_contents(
    case: Case, required: Mapping[str, Any], content: str
) -> list[CheckResult]:
    rule = next((name for name in RULES if name in required), None)
    if rule is None:
        raise Malformed(Sentence("no_required_contents", known=", ".join(RULES)))
    name = f"{NAME}.{rule}"
    if rule not in case.rule_set.content_rules:
        known = case.rule_set.name
        why = Sentence("no_such_page_rule", name=known, rule=repr(rule))
        return [undecided(name, str(required[rule]), content, why)]
    if rule == "fuzzy_match":
        joins = case.rule_set.joins_page_fuzzy
        return await check_meaning(case, name, required[rule], content, joins=joins)
    return check_text(name, rule, required[rule], content, case, is_page=True)
