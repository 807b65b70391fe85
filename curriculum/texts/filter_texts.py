"""Why a task was left out, in the reader's language.

What filters write is stored in English, for programs and exports. Here each of their
sentences is known by its places; what is none of them is shown as it was written.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

from curriculum.texts.known_sentences import KnownSentences

REASONS = KnownSentences(
    gettext_noop("Empty instruction"),
    gettext_noop("Names an unknown site or parent"),
    gettext_noop("Starts outside its site"),
    gettext_noop("Has an overlong field"),
    gettext_noop("Longer than %(longest)s characters"),
    gettext_noop("Contains control characters"),
    gettext_noop("Resembles the test task %(key)s: %(instruction)s"),
    # Written before 2026-11: the gate compared whole instructions only.
    gettext_noop("The same as a test task"),
    gettext_noop("The same as an existing task"),
    gettext_noop("Almost the same as an existing task"),
    gettext_noop("Infeasible: %(reason)s"),
    gettext_noop("Too hard: value %(value)s below %(low)s"),
    gettext_noop("Too easy: value %(value)s above %(high)s"),
)


def say_filter_reason(stored: str) -> str:
    """Return the reason in the active language, or as it stands where it is unknown."""
    return REASONS.say(stored)
