"""The three published ways to compare, by name: numbers differ with them.

`webarena` is WebArena's evaluator (commit f62e0b9), `webarena-lite` that of
VisualAgentBench's WebArena-Lite (9055fc2), `browsergym` what BrowserGym (0.14.3)
does with the Lite tasks: WebArena's rules for answers and addresses, and nearly
Lite's for page contents.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

DEFAULT = "webarena"


@dataclasses.dataclass(frozen=True, slots=True)
class RuleSet:
    """One way to compare.

    Attributes:
        name: What tasks, runs and reports call it.
        strips: Blanks around a text do not count.
        words: Which references must be a whole word of the answer: a lone letter
            that is the only reference, or each single word.
        has_alternatives: " |OR| " separates alternatives in an answer's reference.
        joins_fuzzy: A judge sees all references at once instead of one by one.
        address: Addresses by host, path and query values, or by their whole text.
        unescapes: HTML entities in a page's contents are decoded first.
        answer_rules: The keys of `reference_answers` that are known.
        content_rules: The keys of `required_contents` that are known.
        unanswered: What counts as the answer of an agent that gave none.
        malformed_fails: Rules that cannot be applied count as failed.
    """

    name: str
    strips: bool
    words: Literal["lone letter", "single word"]
    has_alternatives: bool
    joins_fuzzy: bool
    address: Literal["parts", "text"]
    unescapes: bool
    answer_rules: frozenset[str]
    content_rules: frozenset[str]
    unanswered: str = ""
    malformed_fails: bool = False


_BASIC = frozenset({"exact_match", "must_include"})
_LITE = _BASIC | {"must_exclude", "required_values", "fuzzy_match"}

WEBARENA = RuleSet(
    name="webarena",
    strips=True,
    words="lone letter",
    has_alternatives=False,
    joins_fuzzy=False,
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
    address="text",
    unescapes=False,
    answer_rules=_LITE | {"one_of"},
    content_rules=_LITE,
)
BROWSERGYM = dataclasses.replace(
    WEBARENA,
    name="browsergym",
    unescapes=False,
    content_rules=_BASIC | {"fuzzy_match"},
    unanswered="whatever",
    malformed_fails=True,
)
RULE_SETS: dict[str, RuleSet] = {
    rule_set.name: rule_set for rule_set in (WEBARENA, WEBARENA_LITE, BROWSERGYM)
}


def find_rule_set(name: str) -> RuleSet:
    """Return a rule set by name; KeyError names the known ones."""
    try:
        return RULE_SETS[name]
    except KeyError:
        known = ", ".join(RULE_SETS)
        raise KeyError(f"unknown rule set {name!r}; known are {known}") from None
