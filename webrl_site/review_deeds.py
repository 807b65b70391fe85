"""What the review desk says of a decision, and gives back of one that was undone."""

from __future__ import annotations

from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Review
from curriculum.services import Held

DEEDS = {
    "accept": gettext_lazy("Accepted"),
    "edit": gettext_lazy("Edited and accepted"),
    "reject": gettext_lazy("Rejected"),
    "skip": gettext_lazy("Skipped"),
}
# What a skip is, by where the task goes.
SKIPPED = {
    "others": gettext_lazy("Left to others"),
    "drop": gettext_lazy("Taken out of your queue"),
}
LONGEST_QUOTE = 80


def name_deed(review: Review) -> str:
    """Return what was done, as the desk says it afterwards."""
    return str(SKIPPED.get(review.skip_to) or DEEDS[review.decision])


def name_undone(review: Review) -> str:
    """Return which decision was taken back, and about what."""
    text = review.edited_instruction or review.original_instruction
    return gettext("Taken back: %(deed)s “%(instruction)s”") % {
        "deed": name_deed(review),
        "instruction": Truncator(text).chars(LONGEST_QUOTE),
    }


def restore_entries(review: Review, held: Held) -> dict[str, Any]:
    """Return what was entered for a decision, for the desk's form."""
    return {
        "instruction": review.edited_instruction or held.task.instruction,
        "reason": review.reason,
        "note": review.note,
        "is_restored": True,
    }
