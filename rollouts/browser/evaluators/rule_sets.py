"""The ways to compare, by name: results depend on them.

Four are published. `webarena` is WebArena's evaluator (commit f62e0b9), `webarena-lite`
that of VisualAgentBench's WebArena-Lite (9055fc2), `browsergym` what BrowserGym
(9e779f0, version 0.14.3) does with the Lite tasks: WebArena's rules for answers and
addresses, and nearly Lite's for page contents. `webarena-verified` leaves every
comparison to WebArena-Verified's own package. `workbench` compares like `webarena`, but
waits no longer than a page needs and accepts equal texts without a judge. It applies to
tasks that name no rule set.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

DEFAULT = "workbench"
# What the published evaluators sleep after they have opened an address.
PUBLISHED_WAIT_MS = 3_000
WHATEVER = "whatever"

PromptsName = Literal["workbench", "webarena", "webarena-lite"]


@dataclasses.dataclass(frozen=True, slots=True)
class RuleSet:
    """One way to compare.

    Attributes:
        name: What tasks, runs and reports call it.
        strips: Blanks around a text are ignored.
        words: Which references must be a whole word of the answer: a lone letter
            that is the only reference, or each single word.
        has_alternatives: " |OR| " separates alternatives in an answer's reference.
        joins_fuzzy: A judge sees all references of an answer at once, not one by one.
        joins_page_fuzzy: The same for the contents of a page.
        equal_suffices: A text that equals a reference word for word needs no judge.
        judge_prompts: How a judge is asked.
        address: Compare addresses by host, path and query values, or as texts.
        unescapes: HTML entities in a page's contents are decoded first.
        answer_rules: The keys of `reference_answers` that are known.
        content_rules: The keys of `required_contents` that are known.
        unanswered: What counts as the answer of an agent that gave none: nothing,
            why its episode was stopped, or "whatever".
        malformed_fails: Rules that cannot be applied count as failed.
        page_wait_ms: Shortest wait between opening an address and reading it.
        ends_on_success: The evaluators run after every step; success ends the episode.
    """

    name: str
    strips: bool
    words: Literal["lone letter", "single word"]
    has_alternatives: bool
    joins_fuzzy: bool
    joins_page_fuzzy: bool
    judge_prompts: PromptsName
    address: Literal["parts", "text"]
    unescapes: bool
    answer_rules: frozenset[str]
    content_rules: frozenset[str]
    unanswered: Literal["nothing", "stop", "whatever"] = "stop"
    equal_suffices: bool = False
    malformed_fails: bool = False
    page_wait_ms: int = PUBLISHED_WAIT_MS
    ends_on_success: bool = False


_BASIC = frozenset({"exact_match", "must_include"})
_LITE = _BASIC | {"must_exclude", "required_values", "fuzzy_match"}

WEBARENA = RuleSet(
    name="webarena",
    strips=True,
    words="lone letter",
    has_alternatives=False,
    joins_fuzzy=False,
    joins_page_fuzzy=False,
    judge_prompts="webarena",
    address="parts",
    unescapes=True,
    answer_rules=_BASIC | {"fuzzy_match"},
    content_rules=_BASIC,
)
WEBARENA_LITE = RuleSet(
    name="webarena-lite",
    strips=False,
    words="single word",
    has_alternatives=True,
    joins_fuzzy=True,
    joins_page_fuzzy=True,
    judge_prompts="webarena-lite",
    address="text",
    unescapes=False,
    answer_rules=_LITE | {"one_of"},
    content_rules=_LITE,
)
BROWSERGYM = dataclasses.replace(
    WEBARENA,
    name="browsergym",
    joins_page_fuzzy=True,
    unescapes=False,
    content_rules=_BASIC | {"fuzzy_match"},
    unanswered="whatever",
    malformed_fails=True,
    ends_on_success=True,
)
WORKBENCH = dataclasses.replace(
    WEBARENA,
    name="workbench",
    judge_prompts="workbench",
    unanswered="nothing",
    equal_suffices=True,
    page_wait_ms=0,
)
# The package compares; it does not know the rules of the other sets.
WEBARENA_VERIFIED = dataclasses.replace(
    WORKBENCH,
    name="webarena-verified",
    answer_rules=frozenset(),
    content_rules=frozenset(),
)
RULE_SETS: dict[str, RuleSet] = {
    rule_set.name: rule_set
    for rule_set in (
        WEBARENA,
        WEBARENA_LITE,
        BROWSERGYM,
        WEBARENA_VERIFIED,
        WORKBENCH,
    )
}


def find_rule_set(name: str) -> RuleSet:
    """Return a rule set by name; KeyError names the known ones."""
    try:
        return RULE_SETS[name]
    except KeyError:
        known = ", ".join(RULE_SETS)
        raise KeyError(f"unknown rule set {name!r}; known are {known}") from None
