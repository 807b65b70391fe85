"""The keys of the review desk: what each does, and whether a choice of them works.

Pure: no database. Digits choose reasons, "?" opens the list of keys; both are fixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

ACTIONS = {
    "accept": "Accept",
    "edit": "Edit the instruction",
    "reject": "Reject, then 1 to 8 for the reason",
    "skip": "Skip: it comes back to you, last",
    "others": "Leave to others, with a note why",
    "drop": "Not for me, with a note why",
    "flag": "Flag for a researcher, with a note",
    "undo": "Undo your last decision",
    "watch": "Watch how the parent failed",
    "try": "Try the task yourself",
}
DEFAULTS = dict(zip(ACTIONS, "aersodfuwt", strict=True))


def complete_keys(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return a key for each action, those that were not chosen as usual."""
    return {action: chosen.get(action) or key for action, key in DEFAULTS.items()}


def find_mistakes(keys: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with each action's key; empty when all work."""
    counts = Counter(keys.values())
    mistakes = {}
    for action, key in keys.items():
        if len(key) != 1 or not key.isprintable() or key.isspace():
            mistakes[action] = "One key that prints something."
        elif key.isdigit() or key == "?":
            mistakes[action] = "Digits and ? have a meaning already."
        elif counts[key] > 1:
            mistakes[action] = "Two actions share this key."
    return mistakes
