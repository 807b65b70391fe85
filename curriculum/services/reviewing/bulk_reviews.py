"""Decides many waiting tasks together, and takes such a set back."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import NotAllowed, ReviewError
from curriculum.models import Review, ReviewBatch, Site, Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.held_out import open_leak_gate
from curriculum.selectors.reviewing.desk import is_free, tasks_in_review
from curriculum.selectors.reviewing.guidelines import find_guideline
from curriculum.services.reviewing.decision_rules import (
    Decision,
    announce,
    check_decision,
)
from curriculum.services.reviewing.phase_lock import lock_in_review
from curriculum.services.reviewing.review_lease import NO_LEASE

MOST = 200
STATUSES = {"accept": Task.Status.ACCEPTED, "reject": Task.Status.REJECTED}


@dataclasses.dataclass(frozen=True, slots=True)
class Decided:
    """The result of a bulk decision.

    Attributes:
        batch: The set, by which it is taken back; None when nothing was decided.
        phase_ids: The phases that the tasks belong to.
        count: Tasks that were decided.
        leaks: Left out because they read like a test task.
        taken: Left out because another person has them on the desk or decided them
            meanwhile.
    """

    batch: ReviewBatch | None
    phase_ids: list[int]
    count: int
    leaks: int
    taken: int


@transaction.atomic
def decide_many(
    *,
    task_ids: Collection[int],
    decision: str,
    by: User,
    reason: str = "",
    note: str = "",
) -> Decided:
    """Accept or reject the named tasks, regardless of votes; others' leases are kept.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: No task, too many, another decision, or no reason for a rejection.
    """
    check_many(task_ids=task_ids, decision=decision, reason=reason, by=by)
    now = database_now()
    free = tasks_in_review().filter(pk__in=list(task_ids))
    free = free.filter(is_free(now)) | free.filter(leased_by_id=by.pk)
    locked = list(free.select_for_update(of=("self",)).order_by("pk"))
    leaks = _find_leaks(locked) if decision == Review.Decision.ACCEPT else set()
    chosen = [task for task in locked if task.pk not in leaks]
    phase_ids = sorted({task.born_in_id for task in chosen if task.born_in_id})
    batch = _write(chosen, decision, by, reason, note) if chosen else None
    announce(phase_ids)
    taken = len(set(task_ids)) - len(locked)
    return Decided(batch, phase_ids, len(chosen), len(leaks), taken)


def check_many(
    *, task_ids: Collection[int], decision: str, reason: str, by: User
) -> None:
    """Refuse what `decide_many` would refuse; nothing is written.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: No task, too many, another decision, or no reason for a rejection.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only researchers can decide many tasks at once."))
    if not task_ids:
        raise ReviewError(gettext("Tick at least one task."))
    if len(set(task_ids)) > MOST:
        raise ReviewError(gettext("At most %(most)s tasks at once.") % {"most": MOST})
    if decision not in STATUSES:
        raise ReviewError(gettext("In bulk, tasks can only be accepted or rejected."))
    check_decision(Decision(decision, reason=reason))


def _find_leaks(tasks: list[Task]) -> set[int]:
    """Return the ids of the tasks that resemble a test task."""
    sites = dict(Site.objects.values_list("pk", "key"))
    gate = open_leak_gate({sites[task.site_id] for task in tasks})
    return {
        task.pk for task in tasks if gate.find(sites[task.site_id], task.instruction)
    }


def _write(
    tasks: list[Task], decision: str, by: User, reason: str, note: str
) -> ReviewBatch:
    batch = ReviewBatch.objects.create(author_id=by.pk)
    guideline = find_guideline()
    Review.objects.bulk_create(
        Review(
            task=task,
            reviewer_id=by.pk,
            kind=Review.Kind.BULK,
            batch=batch,
            decision=decision,
            original_instruction=task.instruction,
            reason=reason if decision == Review.Decision.REJECT else "",
            note=note.strip(),
            guideline=guideline,
        )
        for task in tasks
    )
    waiting = tasks_in_review().filter(pk__in=[task.pk for task in tasks])
    waiting.update(status=STATUSES[decision], **NO_LEASE)
    return batch


@transaction.atomic
def undo_batch(*, batch_id: int, by: User) -> int:
    """Take a whole set back; returns how many tasks wait again.

    Raises:
        ReviewError: It is another person's, or was taken back already.
        PhaseStateError: A phase has moved on; nothing was taken back.
    """
    batch = ReviewBatch.objects.select_for_update().get(pk=batch_id)
    if batch.author_id != by.pk:
        raise ReviewError(gettext("Only your own decisions can be undone."))
    if batch.undone_at is not None:
        raise ReviewError(gettext("This set has already been undone."))
    reviews = batch.reviews.filter(undone_at=None)
    tasks = Task.objects.filter(pk__in=list(reviews.values_list("task_id", flat=True)))
    phase_ids = {task.born_in_id for task in tasks.select_for_update().order_by("pk")}
    lock_in_review(phase_ids)
    count = tasks.update(status=Task.Status.SHORTLISTED, **NO_LEASE)
    now = timezone.now()
    reviews.update(undone_at=now)
    ReviewBatch.objects.filter(pk=batch_id).update(undone_at=now)
    announce(sorted(phase_id for phase_id in phase_ids if phase_id))
    return count
