"""The lease on a task under review: it keeps two people from the same task.

Its token is checked again when the decision is written, so a lease that ran out and was
taken by another person has no effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role
from curriculum.errors import NotAllowed
from curriculum.models import Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.prepared import PreparedUpdate, moment, number, text
from curriculum.selectors.reviewing.desk import (
    is_free,
    list_leased,
    tasks_on_desk,
    tasks_waiting_for,
)
from curriculum.selectors.reviewing.next_task import (
    find_next,
    read_if_waiting,
    read_on_desk,
)

NO_LEASE: dict[str, Any] = {"lease_token": "", "leased_by": None, "leased_until": None}


def claim_review(*, reviewer: User, phase_id: int | None = None) -> Task | None:
    """Reserve the next task for the reviewer; None when nothing waits for them.

    A task they hold already comes first, so two tabs show the same one. Then come tasks
    that others passed on, new ones, and last their own skips. Tasks that they decided
    or left to others are left out.
    """
    require_reviewer(reviewer)
    # This blocks others, so the desk's data of a new task are read afterwards.
    with transaction.atomic(savepoint=False):
        now, lease = database_now(), _make_lease(reviewer, "")
        # The leases are read first, since they are few; waiting tasks may be thousands.
        for task_id in list_leased(reviewer.pk, now):
            held = read_if_waiting(task_id, reviewer.pk, phase_id)
            if held is not None:
                return _lease(held, reviewer, held.lease_token)
        found = next(find_next(reviewer.pk, phase_id, now, lock=True), None)
        if found is None or not TAKE.carry_out(task=found.task_id, now=now, **lease):
            return None
    return _with_lease(read_on_desk(found), lease)


@transaction.atomic(savepoint=False)
def reclaim_review(*, task_id: int, reviewer: User) -> Task | None:
    """Reserve this task and release the one they held; None where it is not free.

    The released task waits at its old place in the queue.
    """
    require_reviewer(reviewer)
    mine = list_leased(reviewer.pk, database_now())
    waiting = tasks_waiting_for(reviewer.pk, None, tasks_on_desk())
    task = waiting.filter(pk=task_id).first()
    if task is None:
        return None
    token = task.lease_token if task_id in mine else ""
    if _lease(task, reviewer, token) is None:
        return None
    others = Task.objects.filter(pk__in=mine, leased_by_id=reviewer.pk)
    others.exclude(pk=task_id).update(**NO_LEASE)
    return task


def _lease(task: Task, reviewer: User, token: str) -> Task | None:
    """Write the lease if the task is still free, or already ours."""
    lease = _make_lease(reviewer, token)
    given = {"task": task.pk, "now": database_now(), **lease}
    taken = (token and KEEP.carry_out(**given)) or TAKE.carry_out(**given)
    return _with_lease(task, lease) if taken else None


def _make_lease(reviewer: User, token: str) -> dict[str, Any]:
    return {
        "lease_token": token or secrets.token_hex(16),
        "leased_by_id": reviewer.pk,
        "leased_until": next_end(),
    }


def _with_lease(task: Task, lease: Mapping[str, Any]) -> Task:
    for name, value in lease.items():
        setattr(task, name, value)
    return task


def _undecided() -> models.QuerySet[Task]:
    return Task.objects.filter(pk=number("task"), status=Task.Status.SHORTLISTED)


LEASE: dict[str, Any] = {
    "lease_token": text("lease_token"),
    "leased_by_id": number("leased_by_id"),
    "leased_until": moment("leased_until"),
}
TAKE = PreparedUpdate(lambda: _undecided().filter(is_free(moment("now"))), **LEASE)
KEEP = PreparedUpdate(
    lambda: _undecided().filter(
        lease_token=text("lease_token"), leased_by_id=number("leased_by_id")
    ),
    leased_until=moment("leased_until"),
)


def extend_lease(task_id: int, token: str, until: datetime) -> bool:
    """Extend the reservation until then; False if it is lost."""
    return bool(leased(task_id, token).update(leased_until=until))


def next_end() -> datetime:
    """Return the end of a lease that is given now."""
    return database_now() + timedelta(seconds=settings.REVIEW_LEASE_S)


def leased(task_id: int, token: str) -> models.QuerySet[Task]:
    """Return the task if this token still holds it and it is undecided."""
    return Task.objects.filter(
        pk=task_id, status=Task.Status.SHORTLISTED, lease_token=token
    ).exclude(lease_token="")


def require_reviewer(user: User) -> None:
    """Refuse a user who is neither annotator nor researcher.

    Raises:
        NotAllowed: The user lacks both roles.
    """
    if not has_role(user, ROLE_ANNOTATOR) and not has_role(user, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only an annotator or a researcher can review tasks."))
