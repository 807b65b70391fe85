"""A reviewer's reservation: a task under a lease, or a gold item under a seal."""

from __future__ import annotations

import dataclasses
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from curriculum.errors import LeaseLost
from curriculum.models import Phase, Review, Task
from curriculum.selectors.prepared import PreparedObjects, number, text
from curriculum.selectors.reviewing.desk import read_review_config, tasks_on_desk
from curriculum.services.reviewing.gold import draw_gold, seal_gold, unseal_gold
from curriculum.services.reviewing.review_lease import (
    claim_review,
    extend_lease,
    leased,
    next_end,
    reclaim_review,
)

# The columns of a task and its run that a decision reads: a third of all.
DECIDED = (
    *("instruction", "spec", "start_url", "status", "lease_token", "parent_id"),
    *("site__key", "born_in__number", "born_in__run__name", "born_in__run__config"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Reservation:
    """A task on a person's desk.

    Attributes:
        task: What is to be decided.
        token: Required with the decision.
        phase: The review that it belongs to; for a gold item, the one it is mixed into.
        is_gold: Whether the right decision is known. Never shown.
    """

    task: Task
    token: str
    phase: Phase | None
    is_gold: bool = False


def take_next(*, reviewer: User, phase_id: int | None = None) -> Reservation | None:
    """Reserve the next task, or show a gold item before it; None when nothing waits."""
    task = claim_review(reviewer=reviewer, phase_id=phase_id)
    if task is None:
        return None
    phase = task.born_in
    rate = read_review_config(phase).gold_rate
    gold_id = draw_gold(reviewer=reviewer, phase=phase, rate=rate) if phase else None
    if gold_id is None or phase is None:
        return Reservation(task, task.lease_token, phase)
    token = seal_gold(task_id=gold_id, reviewer=reviewer, phase=phase)
    return Reservation(tasks_on_desk().get(pk=gold_id), token, phase, is_gold=True)


@transaction.atomic
def reclaim(
    *, review: Review, reviewer: User, phase_id: int | None = None
) -> Reservation | None:
    """Reserve the task of a decision that was taken back; None where it is not free.

    A gold item has no lease: it comes back before the task on the desk.
    """
    if review.kind != Review.Kind.GOLD:
        task = reclaim_review(task_id=review.task_id, reviewer=reviewer)
        return Reservation(task, task.lease_token, task.born_in) if task else None
    claimed = claim_review(reviewer=reviewer, phase_id=phase_id)
    gold = tasks_on_desk().filter(pk=review.task_id, gold__isnull=False).first()
    if claimed is None or claimed.born_in is None or gold is None:
        return None
    token = seal_gold(task_id=gold.pk, reviewer=reviewer, phase=claimed.born_in)
    return Reservation(gold, token, claimed.born_in, is_gold=True)


def require_reservation(*, task_id: int, token: str, reviewer: User) -> Reservation:
    """Return the token's reservation; lock a task's row until the decision is written.

    Raises:
        LeaseLost: Another person has the task, or it was decided meanwhile.
    """
    task = HELD.first(task=task_id, token=token, reviewer=reviewer.pk)
    if task is not None:
        return Reservation(task, token, task.born_in)
    phase = unseal_gold(task_id=task_id, token=token, reviewer=reviewer)
    if phase is None:
        gone = gettext("This task has gone to someone else or has since been decided.")
        raise LeaseLost(_say_lost(task_id, reviewer) or gone)
    return Reservation(Task.objects.get(pk=task_id), token, phase, is_gold=True)


def _held() -> QuerySet[Task]:
    held = leased(number("task"), text("token")).filter(leased_by_id=number("reviewer"))
    held = held.select_related("born_in__run", "site").only(*DECIDED)
    return held.select_for_update(of=("self",))


HELD = PreparedObjects(_held)


def find_reservation(*, task: Task, token: str, reviewer: User) -> Reservation:
    """Return the task of a form, whether or not it is still held."""
    phase = unseal_gold(task_id=task.pk, token=token, reviewer=reviewer)
    return Reservation(task, token, phase or task.born_in, is_gold=phase is not None)


def renew_review_lease(*, task_id: int, token: str, reviewer: User) -> datetime:
    """Extend the reservation while the person reads or types; return its new end.

    A gold item gives the same answer as any other task, though it has no lease.

    Raises:
        LeaseLost: It ran out and another person has the task, or it is decided.
    """
    until = next_end()
    if extend_lease(task_id, token, until):
        return until
    if unseal_gold(task_id=task_id, token=token, reviewer=reviewer) is None:
        gone = gettext("This task is no longer reserved for you.")
        raise LeaseLost(_say_lost(task_id, reviewer) or gone)
    return until


def _say_lost(task_id: int, reviewer: User) -> str:
    """Return why a task is no longer on their desk, as far as is known, or ""."""
    said = (_say_decided(task_id, reviewer), _say_others(task_id, reviewer))
    return " ".join(filter(None, said))


def _say_decided(task_id: int, reviewer: User) -> str:
    """Return their own decision about a task, as in another tab, or ""."""
    mine = _standing(task_id).filter(reviewer_id=reviewer.pk).first()
    if mine is None:
        return ""
    return gettext(
        "You have already decided this (%(decision)s), in another window."
    ) % {"decision": mine.choice_label}


def _say_others(task_id: int, reviewer: User) -> str:
    """Return how another person ended the review of a task meanwhile, or "".

    Where gold items are mixed in, it says only that the task is decided, since gold
    items are decided tasks.
    """
    task = Task.objects.filter(pk=task_id, status__in=Task.DECIDED)
    found = task.select_related("born_in__run").first()
    theirs = _standing(task_id).exclude(reviewer_id=reviewer.pk)
    theirs = theirs.exclude(decision=Review.Decision.SKIP)
    if found is None or not theirs.exists():
        return ""
    if read_review_config(found.born_in).gold_rate:
        return gettext("It has since been decided.")
    if found.status == Task.Status.ACCEPTED:
        return gettext("Someone else has since accepted it.")
    return gettext("Someone else has since rejected it.")


def _standing(task_id: int) -> QuerySet[Review]:
    return Review.objects.filter(task_id=task_id, undone_at=None)
