"""The review desk: one task for one person at a time, decided once.

The lease is soft: it keeps two people apart, and the token is checked again when
the decision is written. The unique constraint on standing decisions is behind it.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.utils import timezone

from curriculum.errors import LeaseLost, NotAllowed, PhaseStateError, ReviewError
from curriculum.events import publish
from curriculum.evolution.types import digest_task
from curriculum.models import Phase, Review, Task
from curriculum.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role

NO_LEASE = {"lease_token": "", "leased_by": None, "leased_until": None}
LONGEST_INSTRUCTION = 2000
OUTCOMES = {
    Review.Decision.ACCEPT: Task.Status.ACCEPTED,
    Review.Decision.EDIT: Task.Status.ACCEPTED,
    Review.Decision.REJECT: Task.Status.REJECTED,
    Review.Decision.SKIP: Task.Status.SHORTLISTED,
}


@transaction.atomic
def claim_review(*, reviewer: User, phase_id: int | None = None) -> Task | None:
    """Reserve the next task for the reviewer; None when nothing waits for them.

    A task they hold already comes first, so that two tabs show the same one.
    Tasks they skipped come last.
    """
    _require_reviewer(reviewer)
    now = timezone.now()
    waiting = Task.objects.filter(
        status=Task.Status.SHORTLISTED, born_in__status=Phase.Status.REVIEW
    )
    if phase_id is not None:
        waiting = waiting.filter(born_in_id=phase_id)
    held = waiting.filter(leased_by_id=reviewer.pk, leased_until__gte=now).first()
    if held is not None:
        return _lease(held.pk, reviewer, held.lease_token)
    free = waiting.filter(Q(leased_until__isnull=True) | Q(leased_until__lt=now))
    skipped = Review.objects.filter(
        reviewer_id=reviewer.pk, decision=Review.Decision.SKIP, undone_at=None
    ).values("task_id")
    for queue in (free.exclude(pk__in=skipped), free.filter(pk__in=skipped)):
        task_id = queue.order_by("pk").values_list("pk", flat=True).first()
        if task_id is not None:
            return _lease(task_id, reviewer, "")
    return None


def _lease(task_id: int, reviewer: User, token: str) -> Task | None:
    """Write the lease if the task is still free, or already ours."""
    now = timezone.now()
    mine = Q(lease_token=token, leased_by_id=reviewer.pk) if token else Q(pk=None)
    free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
    taken = Task.objects.filter(
        mine | free, pk=task_id, status=Task.Status.SHORTLISTED
    ).update(
        lease_token=token or secrets.token_hex(16),
        leased_by_id=reviewer.pk,
        leased_until=now + timedelta(seconds=settings.REVIEW_LEASE_S),
    )
    if not taken:
        return None
    return Task.objects.select_related("site", "parent", "born_in__run").get(pk=task_id)


def renew_review_lease(*, task_id: int, token: str) -> None:
    """Keep the reservation while somebody reads or types.

    Raises:
        LeaseLost: It ran out and somebody else has the task, or it is decided.
    """
    until = timezone.now() + timedelta(seconds=settings.REVIEW_LEASE_S)
    if not _leased(task_id, token).update(leased_until=until):
        raise LeaseLost("This task is no longer reserved for you.")


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
) -> Review:
    """Write one decision and give the task its new status.

    Raises:
        ReviewError: The decision misses its text or its reason.
        LeaseLost: The task went to somebody else; nothing was written.
    """
    _require_reviewer(reviewer)
    edited = " ".join(edited_instruction.split())
    _check_decision(decision, edited, reason)
    task = _leased(task_id, token).filter(leased_by_id=reviewer.pk).first()
    if task is None:
        raise LeaseLost("This task went to somebody else, or was decided meanwhile.")
    original = task.instruction
    try:
        with transaction.atomic():
            review = Review.objects.create(
                task=task,
                reviewer_id=reviewer.pk,
                decision=decision,
                original_instruction=original,
                edited_instruction=edited if decision == "edit" else "",
                reason=reason if decision == "reject" else "",
                note=note.strip(),
                seconds_spent=seconds_spent,
            )
    except IntegrityError:
        raise LeaseLost("Somebody else has decided this task.") from None
    changes = _changes(task, decision, edited)
    if not _leased(task_id, token).update(**changes):
        raise LeaseLost("This task was decided meanwhile.")
    _announce(task)
    return review


def _changes(task: Task, decision: str, edited: str) -> dict[str, object]:
    """Return the task's new fields."""
    changes: dict[str, object] = {
        **NO_LEASE,
        "status": OUTCOMES[Review.Decision(decision)],
    }
    if decision == Review.Decision.EDIT:
        if _is_held_out(edited, task.start_url):
            raise ReviewError("This is a test task; training on it would leak.")
        changes["instruction"] = edited
        changes["digest"] = digest_task(edited, task.start_url)
        changes["spec"] = {**task.spec, "intent": edited}
    return changes


def _check_decision(decision: str, edited: str, reason: str) -> None:
    if decision not in Review.Decision.values:
        raise ReviewError(f"There is no decision {decision!r}.")
    if decision == Review.Decision.EDIT and not edited:
        raise ReviewError("Write the edited instruction.")
    if len(edited) > LONGEST_INSTRUCTION:
        raise ReviewError(f"At most {LONGEST_INSTRUCTION} characters.")
    if decision == Review.Decision.REJECT and reason not in Review.Reason.values:
        raise ReviewError("Choose the reason of the rejection.")


def _is_held_out(instruction: str, start_url: str) -> bool:
    return Task.objects.filter(
        split=Task.Split.TEST, digest=digest_task(instruction, start_url)
    ).exists()


@transaction.atomic
def undo_review(*, review_id: int, reviewer: User) -> Task:
    """Take one's own decision back while the phase is in review.

    Raises:
        ReviewError: It is somebody else's, or was undone already.
        PhaseStateError: The phase has moved on.
    """
    review = Review.objects.select_related("task__born_in").get(pk=review_id)
    task = review.task
    if review.reviewer_id != reviewer.pk:
        raise ReviewError("Only your own decisions can be undone.")
    if task.born_in is None or task.born_in.status != Phase.Status.REVIEW:
        raise PhaseStateError("The phase has moved on; this can no longer be undone.")
    undone = Review.objects.filter(pk=review_id, undone_at=None).update(
        undone_at=timezone.now()
    )
    if not undone:
        raise ReviewError("This decision was undone already.")
    if review.decision == Review.Decision.SKIP:
        return task
    original = review.original_instruction
    Task.objects.filter(pk=task.pk).update(
        status=Task.Status.SHORTLISTED,
        instruction=original,
        digest=digest_task(original, task.start_url),
        spec={**task.spec, "intent": original},
        **NO_LEASE,
    )
    _announce(task)
    task.refresh_from_db()
    return task


@transaction.atomic
def finish_review(*, phase_id: int, by: User) -> int:
    """Set aside what is left undecided; returns how many. The caller rings.

    Raises:
        PhaseStateError: The phase is not in review.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed("Only a researcher can finish a review.")
    if not Phase.objects.filter(pk=phase_id, status=Phase.Status.REVIEW).exists():
        raise PhaseStateError("The phase is not waiting for review.")
    left = Task.objects.filter(born_in_id=phase_id, status=Task.Status.SHORTLISTED)
    count = left.update(
        status=Task.Status.FILTERED,
        filter_reason="Left undecided when the review was finished",
        **NO_LEASE,
    )
    text = f"{by.get_username()} finished the review; {count} tasks left undecided."
    publish(phase_id, "message", text=text)
    return count


def _leased(task_id: int, token: str) -> models.QuerySet[Task]:
    """Return the task if this token still holds it, undecided."""
    return Task.objects.filter(
        pk=task_id, status=Task.Status.SHORTLISTED, lease_token=token
    ).exclude(lease_token="")


def _announce(task: Task) -> None:
    """Tell the phase's pages how many decisions are left."""
    if task.born_in_id is None:
        return
    tasks = Task.objects.filter(born_in_id=task.born_in_id)
    left = tasks.filter(status=Task.Status.SHORTLISTED).count()
    decided = tasks.filter(
        status__in=(Task.Status.ACCEPTED, Task.Status.REJECTED)
    ).count()
    publish(
        task.born_in_id,
        "progress",
        stage="review",
        done=decided,
        total=left + decided,
        seconds_left=None,
    )


def _require_reviewer(user: User) -> None:
    if not has_role(user, ROLE_ANNOTATOR) and not has_role(user, ROLE_RESEARCHER):
        raise NotAllowed("Only an annotator or a researcher can review tasks.")
