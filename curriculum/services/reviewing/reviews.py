"""The review desk: one task for one person at a time, decided by as many as asked.

The lease keeps two people apart; its token is checked again when the decision is
written. Behind it stands a constraint: one standing decision per task and person.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import LeaseLost, NotAllowed, PhaseStateError, ReviewError
from curriculum.events import tell_phase
from curriculum.models import Phase, Review, Task
from curriculum.rules.vote_outcome import Settlement, Vote, settle
from curriculum.selectors.reviewing.desk import (
    list_verdicts,
    passed_on_by,
    read_review_config,
)
from curriculum.selectors.reviewing.guidelines import find_guideline_seen
from curriculum.services.reviewing.decisions import (
    announce,
    as_worded,
    check_decision,
    check_leak,
    check_skip,
    close_task,
    with_instruction,
)
from curriculum.services.reviewing.first_looks import require_first_look
from curriculum.services.reviewing.reservations import require_reservation
from curriculum.services.reviewing.review_lease import (
    NO_LEASE,
    leased,
    require_reviewer,
)

STATUSES = {
    "open": Task.Status.SHORTLISTED,
    "accept": Task.Status.ACCEPTED,
    "reject": Task.Status.REJECTED,
    "dispute": Task.Status.DISPUTED,
}


@transaction.atomic
def decide_review(
    *,
    task_id: int,
    token: str,
    reviewer: User,
    decision: str,
    edited_instruction: str = "",
    reason: str = "",
    note: str = "",
    seconds_spent: float | None = None,
    skip_to: str = Review.SkipTo.LAST,
    guideline: int | None = None,
) -> Review:
    """Write one person's decision; the last one needed settles the task.

    Accepting with other words is an edit, and an edit with the same words is none.
    `guideline` is the version that they saw; without one it is the newest.

    Raises:
        ReviewError: The decision misses its text or reason, would be a leak, or comes
            before the blind decision that the run asks for.
        LeaseLost: The task went to somebody else; nothing was written.
    """
    require_reviewer(reviewer)
    edited = " ".join(edited_instruction.split())
    check_decision(decision, edited, reason)
    is_skip = decision == Review.Decision.SKIP
    if is_skip:
        check_skip(skip_to, note)
    held = require_reservation(task_id=task_id, token=token, reviewer=reviewer)
    task, first = held.task, require_first_look(held, reviewer, decision)
    decision, edited = as_worded(decision, edited, task.instruction)
    checked = ""
    if decision in (Review.Decision.ACCEPT, Review.Decision.EDIT):
        checked = edited or task.instruction
        check_leak(checked, task.start_url)
    try:
        # Without a savepoint: if it is refused, all of this is taken back.
        review = Review.objects.create(
            task=task,
            reviewer_id=reviewer.pk,
            kind=Review.Kind.GOLD if held.is_gold else Review.Kind.REVIEW,
            decision=decision,
            first_decision=first,
            original_instruction=task.instruction,
            edited_instruction=edited,
            reason=reason if decision == "reject" else "",
            skip_to=skip_to if is_skip else "",
            note=note.strip(),
            seconds_spent=seconds_spent,
            guideline=find_guideline_seen(guideline),
        )
    except IntegrityError:
        raise LeaseLost(gettext("You have decided this task already.")) from None
    if held.is_gold:
        return review
    settled = count_votes(task)
    text = settled.text or task.instruction
    changes = close_task(task, STATUSES[settled.outcome], text, checked)
    if not leased(task_id, token).update(**changes):
        raise LeaseLost(gettext("This task was decided meanwhile."))
    task.instruction = text
    if task.born_in_id:
        announce([task.born_in_id])
    return review


def count_votes(task: Task) -> Settlement:
    """Return what the standing decisions about a task (with its run) come to."""
    votes = [
        Vote(decision != Review.Decision.REJECT, edited or original)
        for decision, edited, original in list_verdicts(task.pk)
    ]
    return settle(votes, read_review_config(task.born_in).reviews_per_task)


@transaction.atomic
def undo_review(*, review_id: int, reviewer: User) -> Task:
    """Take one's own decision back while the phase is in review.

    Raises:
        ReviewError: It is somebody else's, was undone already, or a researcher has
            decided the task since.
        PhaseStateError: The phase has moved on.
    """
    review = Review.objects.select_related("task__born_in").get(pk=review_id)
    if review.reviewer_id != reviewer.pk:
        raise ReviewError(gettext("Only your own decisions can be undone."))
    if review.batch_id is not None:
        raise ReviewError(
            gettext("It was decided with others: take the whole set back.")
        )
    if review.kind != Review.Kind.GOLD:
        _require_in_review(review.task)
    task = Task.objects.select_for_update().get(pk=review.task_id)
    undone = Review.objects.filter(pk=review_id, undone_at=None).update(
        undone_at=timezone.now()
    )
    if not undone:
        raise ReviewError(gettext("This decision was undone already."))
    if review.kind != Review.Kind.GOLD and review.decision != Review.Decision.SKIP:
        _reopen(task, review)
    return task


def _require_in_review(task: Task) -> None:
    if task.born_in is None or task.born_in.status != Phase.Status.REVIEW:
        raise PhaseStateError(
            gettext("The phase has moved on; this can no longer be undone.")
        )


def _reopen(task: Task, review: Review) -> None:
    """Let a settled task wait again; one that waits may be with somebody else."""
    status = Task.Status.SHORTLISTED
    if review.kind == Review.Kind.ADJUDICATION:
        status = Task.Status.DISPUTED
    elif is_final(task):
        raise ReviewError(gettext("A researcher has decided this task since."))
    if task.status != Task.Status.SHORTLISTED:
        changes = with_instruction(task, review.original_instruction)
        Task.objects.filter(pk=task.pk).update(status=status, **changes, **NO_LEASE)
        task.refresh_from_db()
    if task.born_in_id:
        announce([task.born_in_id])


def is_final(task: Task) -> bool:
    """Say whether a researcher has decided over the votes."""
    finals = Review.objects.filter(task=task, undone_at=None)
    return finals.filter(kind__in=Review.FINAL).exists()


@transaction.atomic
def take_back_passed(*, reviewer: User) -> int:
    """Put what somebody left to others back into their queue; returns how many."""
    require_reviewer(reviewer)
    return passed_on_by(reviewer.pk).update(undone_at=timezone.now())


@transaction.atomic
def finish_review(*, phase_id: int, by: User) -> int:
    """Set aside what is left undecided; returns how many. The caller wakes the loop.

    Raises:
        PhaseStateError: The phase is not in review.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only a researcher can finish a review."))
    if not Phase.objects.filter(pk=phase_id, status=Phase.Status.REVIEW).exists():
        raise PhaseStateError(gettext("The phase is not waiting for review."))
    left = Task.objects.filter(born_in_id=phase_id, status__in=Task.UNDECIDED)
    count = left.update(status=Task.Status.LEFT, **NO_LEASE)
    tell_phase(phase_id, "review_finished", by=by.get_username(), count=count)
    return count
