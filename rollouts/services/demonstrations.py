"""Successes by hand that are kept as demonstrations, for SFT and exports."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext

from curriculum.errors import TakeoverError
from curriculum.models import Task
from rollouts.models import Takeover, Trajectory


def keep_demonstration(*, takeover_id: int) -> bool:
    """Keep a success as a demonstration; False when it was kept before.

    Raises:
        TakeoverError: The evaluators did not call it a success, or the task is held
            out: its results would mean nothing once it has been trained on.
    """
    rows = Takeover.objects.filter(pk=takeover_id)
    solved = rows.filter(
        closed_at__isnull=False,
        trajectory__status=Trajectory.Status.FINISHED,
        trajectory__outcome=True,
    )
    if not solved.exists():
        raise TakeoverError(
            gettext("Only what the evaluators call a success can be kept.")
        )
    if not rows.filter(trajectory__task__split=Task.Split.TRAIN).exists():
        raise TakeoverError(
            gettext(
                "This task is held out to measure policies: nothing may learn from "
                "it. Take over an episode of a training task instead."
            )
        )
    return rows.filter(kept_at=None).update(kept_at=timezone.now()) == 1


def let_demonstration_go(*, takeover_id: int) -> bool:
    """Stop keeping it; False when it was not kept. Its episode stays."""
    kept = Takeover.objects.filter(pk=takeover_id, kept_at__isnull=False)
    return kept.update(kept_at=None) == 1
