"""Gold items: tasks with a known decision, mixed in among the others unmarked.

A gold item has no lease: several people may have the same one. Its token is sealed for
one person and one phase, and looks like any other token.
"""

from __future__ import annotations

import secrets
from random import Random

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import NotAllowed, ReviewError
from curriculum.models import GoldItem, Phase, Task
from curriculum.selectors.reviewing.desk import count_standing, list_fresh_gold

LENGTH = 32


def draw_gold(*, reviewer: User, phase: Phase, rate: float) -> int | None:
    """Return the gold task for this place in the reviewer's queue, or None.

    The draw depends on how much they have decided, so reloading, or taking a decision
    back, shows the same item.
    """
    if rate <= 0:
        return None
    place = count_standing(reviewer.pk)
    draw = Random(f"{reviewer.pk}:{phase.pk}:{place}")
    if draw.random() >= rate:
        return None
    fresh = list_fresh_gold(reviewer.pk)
    return draw.choice(fresh) if fresh else None


def seal_gold(*, task_id: int, reviewer: User, phase: Phase) -> str:
    """Return the token with which this person can decide this gold item."""
    text = f"{task_id}:{reviewer.pk}:{phase.pk}"
    return salted_hmac("curriculum.gold", text).hexdigest()[:LENGTH]


def unseal_gold(*, task_id: int, token: str, reviewer: User) -> Phase | None:
    """Return the phase under which a gold item was shown; None for other tasks."""
    if not GoldItem.objects.filter(task_id=task_id).exists():
        return None
    phases = Phase.objects.filter(status=Phase.Status.REVIEW).select_related("run")
    for phase in phases:
        sealed = seal_gold(task_id=task_id, reviewer=reviewer, phase=phase)
        if secrets.compare_digest(sealed.encode(), token.encode()):
            return phase
    return None


@transaction.atomic
def set_gold(*, task_id: int, accepts: bool, why: str, by: User) -> GoldItem:
    """Make a decided task a gold item with its right decision.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: The task waits for its decision, is a test task, or did not evolve:
            its page would say that it cannot be one of those under review.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only researchers can choose gold items."))
    task = Task.objects.get(pk=task_id)
    if task.status not in (Task.Status.ACCEPTED, Task.Status.REJECTED):
        raise ReviewError(
            gettext("Only an accepted or rejected task can be a gold item.")
        )
    if task.split == Task.Split.TEST:
        raise ReviewError(gettext("A test task is not shown to reviewers."))
    if task.origin != Task.Origin.EVOLVED:
        raise ReviewError(
            gettext(
                "Only an evolved task can be a gold item: others never wait for review."
            )
        )
    item, _ = GoldItem.objects.update_or_create(
        task=task,
        defaults={"accepts": accepts, "why": why.strip(), "author_id": by.pk},
    )
    return item


@transaction.atomic
def drop_gold(*, task_id: int, by: User) -> None:
    """Stop mixing a task in; decisions about it are kept, but no longer count.

    Raises:
        NotAllowed: Not a researcher.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only researchers can choose gold items."))
    GoldItem.objects.filter(task_id=task_id).delete()
