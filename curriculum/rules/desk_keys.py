"""The keys of the review desk: what each does, and whether a choice of keys is valid.

Pure: no database. Digits choose reasons, "?" opens the list of keys; both are fixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from django.utils.translation import gettext, gettext_lazy

ACTIONS = {
    "accept": gettext_lazy("Accept"),
    "edit": gettext_lazy("Edit the instruction"),
    "reject": gettext_lazy("Reject, then 1 to 8 for the reason"),
    "skip": gettext_lazy("Skip: it comes back to you at the end"),
    "others": gettext_lazy("Leave to others, and note why"),
    "drop": gettext_lazy("Not for me, and note why"),
    "flag": gettext_lazy("Flag for a researcher, with a note"),
    "undo": gettext_lazy("Undo your last decision"),
    "watch": gettext_lazy("Watch how the parent failed"),
    "try": gettext_lazy("Try the task yourself"),
}
DEFAULTS = dict(zip(ACTIONS, "aersodfuwt", strict=True))


def complete_keys(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return a key for each action: the chosen one, or else the default."""
    return {action: chosen.get(action) or key for action, key in DEFAULTS.items()}


def find_mistakes(keys: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with each action's key; empty when all are valid."""
    counts = Counter(keys.values())
    mistakes = {}
    for action, key in keys.items():
        if len(key) != 1 or not key.isprintable() or key.isspace():
            mistakes[action] = gettext("One key that types a character.")
        elif key.isdigit() or key == "?":
            mistakes[action] = gettext("Digits and ? are already in use.")
        elif counts[key] > 1:
            mistakes[action] = gettext("Two actions share this key.")
    return mistakes
