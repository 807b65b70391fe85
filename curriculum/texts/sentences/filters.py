"""Why a proposed task was left out."""

from __future__ import annotations

from curriculum.texts.sentences.marking import gettext_noop

FILTERS = {
    "empty_instruction": gettext_noop("Empty instruction"),
    "unknown_origin": gettext_noop("Names an unknown site or parent"),
    "starts_outside": gettext_noop("Starts outside its site"),
    "overlong_field": gettext_noop("Has an overlong field"),
    "overlong_instruction": gettext_noop("Longer than %(longest)s characters"),
    "control_characters": gettext_noop("Contains control characters"),
    "resembles_test": gettext_noop("Resembles the test task %(key)s: %(instruction)s"),
    "same_as_known": gettext_noop("The same as an existing task"),
    "nearly_known": gettext_noop("Almost the same as an existing task"),
    "only_imported": gettext_noop("Known from imported episodes only"),
    "infeasible": gettext_noop("Infeasible: %(reason)s"),
    "too_hard": gettext_noop("Too hard: value %(value)s below %(low)s"),
    "too_easy": gettext_noop("Too easy: value %(value)s above %(high)s"),
}
