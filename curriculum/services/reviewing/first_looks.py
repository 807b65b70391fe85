"""Blind decisions: taken before the machine's opinion is shown, never changed."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import FirstLookMissing
from curriculum.models import FirstLook, Review
from curriculum.selectors.reviewing.desk import find_first_look, read_review_config
from curriculum.services.reviewing.decision_rules import Decision, check_decision
from curriculum.services.reviewing.reservations import Reservation, require_reservation


@transaction.atomic
def take_first_look(
    *, task_id: int, token: str, reviewer: User, decision: Decision
) -> bool:
    """Store a blind decision, and say whether the opinion is to be shown now.

    False where the run shows it from the beginning, for a skip, and for a second
    decision: then the decision itself has to be written.

    Raises:
        ReviewError: The decision lacks its text or its reason.
        LeaseLost: Another person has the task.
    """
    if decision.is_skip:
        return False
    check_decision(decision)
    held = require_reservation(task_id=task_id, token=token, reviewer=reviewer)
    if not read_review_config(held.phase).blind_first:
        return False
    choice = decision.as_worded(held.task.instruction).choice
    _, is_new = FirstLook.objects.get_or_create(
        task=held.task, reviewer_id=reviewer.pk, defaults={"decision": choice}
    )
    return is_new


def require_first_look(held: Reservation, reviewer: User, decision: str) -> str:
    """Return the blind decision; empty where none is required.

    Raises:
        FirstLookMissing: The machine's opinion is still hidden.
    """
    if decision == Review.Decision.SKIP:
        return ""
    if not read_review_config(held.phase).blind_first:
        return ""
    first = find_first_look(held.task.pk, reviewer.pk)
    if first is None:
        raise FirstLookMissing(
            gettext("Decide once before you see what the machine thinks.")
        )
    return first
