"""Ends disputes: a researcher decides where the reviewers could not."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import LeaseLost, NotAllowed, PhaseStateError
from curriculum.models import Phase, Review, Task
from curriculum.selectors.reviewing.guidelines import find_guideline
from curriculum.services.reviewing.decision_rules import (
    Decision,
    announce,
    check_decision,
    close_task,
)


@transaction.atomic
def adjudicate(
    *,
    task_id: int,
    by: User,
    decision: str,
    instruction: str = "",
    reason: str = "",
    note: str = "",
) -> Review:
    """Decide a disputed task; `instruction` is the text to accept it with.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: Text or reason is missing, or the text is a test task's.
        LeaseLost: The task is no longer disputed; nothing was written.
        PhaseStateError: The phase has moved on.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only a researcher can settle disputes."))
    text = " ".join(instruction.split())
    disputed = Task.objects.select_for_update(of=("self",)).select_related("born_in")
    task = disputed.filter(pk=task_id, status=Task.Status.DISPUTED).first()
    if task is None:
        raise LeaseLost(gettext("This task is no longer disputed."))
    if task.born_in is None or task.born_in.status != Phase.Status.REVIEW:
        raise PhaseStateError(gettext("The phase has moved on."))
    is_accepted = decision != Review.Decision.REJECT
    if is_accepted:
        changed = text and text != task.instruction
        decision = Review.Decision.EDIT if changed else Review.Decision.ACCEPT
    check_decision(Decision(decision, text, reason))
    text = text if decision == Review.Decision.EDIT else task.instruction
    status = Task.Status.ACCEPTED if is_accepted else Task.Status.REJECTED
    changes = close_task(task, status, text)
    disputed.filter(pk=task_id, status=Task.Status.DISPUTED).update(**changes)
    review = Review.objects.create(
        task=task,
        reviewer_id=by.pk,
        kind=Review.Kind.ADJUDICATION,
        decision=decision,
        original_instruction=task.instruction,
        edited_instruction=text if decision == Review.Decision.EDIT else "",
        reason=reason if decision == Review.Decision.REJECT else "",
        note=note.strip(),
        guideline=find_guideline(),
    )
    announce([task.born_in.pk])
    return review
