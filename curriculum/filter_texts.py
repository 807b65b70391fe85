"""Why a task was left out, in the reader's language.

What filters write is stored in English, for programs and exports. Here each of their
sentences is known by its places; what is none of them is shown as it was written.
"""

from __future__ import annotations

import functools
import re

from django.utils.translation import gettext, gettext_noop

SENTENCES = (
    gettext_noop("Empty instruction"),
    gettext_noop("Names an unknown site or parent"),
    gettext_noop("Starts outside its site"),
    gettext_noop("Has an overlong field"),
    gettext_noop("Longer than %(longest)s characters"),
    gettext_noop("Contains control characters"),
    gettext_noop("The same as a test task"),
    gettext_noop("The same as an existing task"),
    gettext_noop("Almost the same as an existing task"),
    gettext_noop("Infeasible: %(reason)s"),
    gettext_noop("Too hard: value %(value)s below %(low)s"),
    gettext_noop("Too easy: value %(value)s above %(high)s"),
)
_PLACE = re.compile(r"%\\\((\w+)\\\)s")


def say_filter_reason(stored: str) -> str:
    """Return the reason in the active language, or as it stands where it is unknown."""
    for sentence, pattern in _patterns():
        found = pattern.fullmatch(stored)
        if found:
            return gettext(sentence) % found.groupdict()
    return stored


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each sentence with an expression that finds its figures."""
    return tuple(
        (sentence, re.compile(_to_pattern(sentence), re.DOTALL))
        for sentence in SENTENCES
    )


def _to_pattern(sentence: str) -> str:
    return _PLACE.sub(r"(?P<\1>.+)", re.escape(sentence))
