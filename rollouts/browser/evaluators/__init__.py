"""WebArena's evaluators by rule set, and one that reads the site's state."""

from rollouts.browser.evaluators.evaluate import (
    EVAL_TYPES,
    eval_types,
    evaluate,
    rule_set_of,
)
from rollouts.browser.evaluators.rule_sets import RULE_SETS, RuleSet, find_rule_set
from rollouts.browser.evaluators.types import (
    Ending,
    Judge,
    PageReader,
    PageUnreadable,
    Verdict,
)

__all__ = [
    "EVAL_TYPES",
    "RULE_SETS",
    "Ending",
    "Judge",
    "PageReader",
    "PageUnreadable",
    "RuleSet",
    "Verdict",
    "eval_types",
    "evaluate",
    "find_rule_set",
    "rule_set_of",
]
