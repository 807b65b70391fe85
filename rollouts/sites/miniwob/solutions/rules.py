"""A rule of the scripted solutions: which instructions it matches, and what to do."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from rollouts.sites.miniwob.solutions.reading import Page

Words = tuple[str, ...]
Solver = Callable[[Page, Words, int], str]


@dataclasses.dataclass(frozen=True)
class Rule:
    """`solve` gets the page, the pattern's groups and how many steps were taken."""

    pages: tuple[str, ...]
    pattern: re.Pattern[str]
    solve: Solver


def rule(pages: str, pattern: str, solve: Solver) -> Rule:
    """A rule for pages that are named with blanks between."""
    return Rule(tuple(pages.split()), re.compile(pattern), solve)


def ordinal(text: str) -> int:
    """0 for "1st", 1 for "2nd"."""
    return int(re.sub(r"\D", "", text)) - 1
