"""The review desk: one task for one person at a time, decided by the required votes.

The lease keeps two people from the same task; its token is checked again when the
decision is written. A constraint also allows only one standing decision per task and
person.
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
    forget_passed,
    list_verdicts,
    passed_on_by,
    read_review_config,
)
from curriculum.selectors.reviewing.guidelines import find_guideline_seen
from curriculum.services.reviewing.decision_rules import (
    Decision,
    announce,
    announce_one,
    check_decision,
    check_leak,
    close_task,
)
from curriculum.services.reviewing.first_looks import require_first_look
from curriculum.services.reviewing.phase_lock import lock_in_review
from curriculum.services.reviewing.reservations import Reservation, require_reservation
from curriculum.services.reviewing.review_lease import (
    NO_LEASE,
    leased,
    require_reviewer,
)
from curriculum.services.reviewing.rewording import load_reader, reword

STATUSES = {
    "open": Task.Status.SHORTLISTED,
    "accept": Task.Status.ACCEPTED,
    "reject": Task.Status.REJECTED,
    "dispute": Task.Status.DISPUTED,
}


def decide_review(
    *, task_id: int, token: str, reviewer: User, decision: Decision
) -> Review:
    """Write one person's decision; the last one needed settles the task.

    Accepting a changed instruction is an edit; an edit without a change is an
    acceptance.

    Raises:
        ReviewError: The decision lacks its text or reason, would be a leak, or comes
            before the blind decision that the run requires.
        LeaseLost: Another person has the task; nothing was written.
    """
    if decision.words:
        # Outside the transaction, which blocks other writers.
        load_reader()
    return _decide(task_id, token, reviewer, decision)


@transaction.atomic
def _decide(task_id: int, token: str, reviewer: User, decision: Decision) -> Review:
    # 1. The person may review, and the decision is complete.
    require_reviewer(reviewer)
    check_decision(decision)
    # 2. They hold the task, and have decided blind where the run requires it.
    held = require_reservation(task_id=task_id, token=token, reviewer=reviewer)
    first = require_first_look(held, reviewer, decision.choice)
    # 3. Its instruction makes it an acceptance or an edit, and resembles no test task.
    decision = decision.as_worded(held.task.instruction)
    checked = ""
    if decision.is_accepting:
        checked = decision.edited_instruction or held.task.instruction
        check_leak(checked, held.task.site.key)
    # 4. A person has one standing decision. Votes do not settle a gold item.
    review = _write(held, reviewer, decision, first)
    if decision.is_skip:
        forget_passed()
    if not held.is_gold:
        # 5. The votes settle the task, or leave it open for the next person.
        _settle(held, checked)
    return review


def _write(held: Reservation, reviewer: User, decision: Decision, first: str) -> Review:
    is_rejection = decision.choice == Review.Decision.REJECT
    try:
        # Without a savepoint: if it is refused, all of this is taken back.
        return Review.objects.create(
            task=held.task,
            reviewer_id=reviewer.pk,
            kind=Review.Kind.GOLD if held.is_gold else Review.Kind.REVIEW,
            decision=decision.choice,
            first_decision=first,
            original_instruction=held.task.instruction,
            edited_instruction=decision.edited_instruction,
            reason=decision.reason if is_rejection else "",
            skip_to=decision.skip_to if decision.is_skip else "",
            note=decision.note.strip(),
            seconds_spent=decision.seconds_spent,
            guideline=find_guideline_seen(decision.guideline),
        )
    except IntegrityError:
        raise LeaseLost(gettext("You have already decided this task.")) from None


def _settle(held: Reservation, checked: str) -> None:
    """Give the task the status that follows from its votes, and end the lease.

    `checked` are words that `check_leak` let pass just now.
    """
    task = held.task
    settled = count_votes(task)
    text = settled.text or task.instruction
    changes = close_task(task, STATUSES[settled.outcome], text, checked)
    if not leased(task.pk, held.token).update(**changes):
        raise LeaseLost(gettext("This task has since been decided."))
    task.instruction = text
    if task.born_in_id:
        announce_one(task.born_in_id)


def count_votes(task: Task) -> Settlement:
    """Return the outcome of the standing decisions about a task (with its run)."""
    votes = [
        Vote(decision != Review.Decision.REJECT, edited or original)
        for decision, edited, original in list_verdicts(task.pk)
    ]
    return settle(votes, read_review_config(task.born_in).reviews_per_task)


@transaction.atomic
def undo_review(*, review_id: int, reviewer: User) -> Task:
    """Take one's own decision back while the phase is in review.

    Raises:
        ReviewError: It is another person's, was undone already, or a researcher has
            decided the task since.
        PhaseStateError: The phase has moved on.
    """
    review = Review.objects.get(pk=review_id)
    if review.reviewer_id != reviewer.pk:
        raise ReviewError(gettext("Only your own decisions can be undone."))
    if review.batch_id is not None:
        raise ReviewError(
            gettext("It was decided as part of a set: undo the whole set.")
        )
    forget_passed()
    task = Task.objects.select_for_update().get(pk=review.task_id)
    if review.kind != Review.Kind.GOLD:
        lock_in_review([task.born_in_id])
    undone = Review.objects.filter(pk=review_id, undone_at=None).update(
        undone_at=timezone.now()
    )
    if not undone:
        raise ReviewError(gettext("This decision has already been undone."))
    if review.kind != Review.Kind.GOLD and review.decision != Review.Decision.SKIP:
        _reopen(task, review)
    return task


def _reopen(task: Task, review: Review) -> None:
    """Let a settled task wait again; a waiting task may be on another person's desk."""
    status = Task.Status.SHORTLISTED
    if review.kind == Review.Kind.ADJUDICATION:
        status = Task.Status.DISPUTED
    elif is_final(task):
        raise ReviewError(gettext("A researcher has since decided this task."))
    if task.status != Task.Status.SHORTLISTED:
        changes = reword(task, review.original_instruction)
        Task.objects.filter(pk=task.pk).update(status=status, **changes, **NO_LEASE)
        task.refresh_from_db()
    if task.born_in_id:
        announce([task.born_in_id])


def is_final(task: Task) -> bool:
    """Say whether a researcher has overruled the votes."""
    finals = Review.objects.filter(task=task, undone_at=None)
    return finals.filter(kind__in=Review.FINAL).exists()


@transaction.atomic
def take_back_passed(*, reviewer: User) -> int:
    """Put tasks that a person left to others back into their queue; return how many."""
    require_reviewer(reviewer)
    forget_passed()
    return passed_on_by(reviewer.pk).update(undone_at=timezone.now())


@transaction.atomic
def finish_review(*, phase_id: int, by: User) -> int:
    """Set the undecided tasks aside; return how many. The caller wakes the loop.

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
