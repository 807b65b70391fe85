"""The review desk's texts about a decision, and the entries of an undone one."""

from __future__ import annotations

from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Review, Task
from curriculum.services import Reservation

DEEDS = {
    "accept": gettext_lazy("Accepted"),
    "edit": gettext_lazy("Edited and accepted"),
    "reject": gettext_lazy("Rejected"),
    "skip": gettext_lazy("Skipped"),
}
# The name of a skip, by where the task goes.
SKIPPED = {
    "others": gettext_lazy("Left to others"),
    "drop": gettext_lazy("Removed from your queue"),
}
MAX_QUOTE_LENGTH = 80


def name_deed(review: Review) -> str:
    """Return what was done, in the desk's words."""
    return str(SKIPPED.get(review.skip_to) or DEEDS[review.decision])


def name_sent(review: Review, reason: str) -> str:
    """Return what was done with a sent decision; a reason counts only to reject."""
    deed = name_deed(review)
    if not reason or review.decision == Review.Decision.REJECT:
        return deed
    return gettext("%(deed)s; the reason for a rejection was left out") % {"deed": deed}


def name_undone(review: Review, task: Task) -> str:
    """Return which decision was taken back, and whether its task is decided now.

    `task` is in its state when the decision was taken back.
    """
    text = review.edited_instruction or review.original_instruction
    said = gettext("Undone: %(deed)s “%(instruction)s”") % {
        "deed": name_deed(review),
        "instruction": Truncator(text).chars(MAX_QUOTE_LENGTH),
    }
    # A gold item is decided from the beginning, which reviewers must not see.
    if review.kind == Review.Kind.GOLD or task.status not in Task.DECIDED:
        return said
    return gettext("%(said)s. It has since been decided and will not return") % {
        "said": said
    }


def restore_entries(review: Review, held: Reservation) -> dict[str, Any]:
    """Return what was entered for a decision, for the desk's form."""
    return {
        "instruction": review.edited_instruction or held.task.instruction,
        "reason": review.reason,
        "note": review.note,
        "is_restored": True,
    }
