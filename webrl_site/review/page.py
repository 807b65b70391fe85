"""What the review desk shows of the task that the reviewer holds."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.models import Guideline, Review, Task
from curriculum.phase_config import ReviewConfig
from curriculum.rules.desk_keys import ACTIONS
from curriculum.selectors import pages as curriculum_pages
from curriculum.selectors.reviewing.desk import (
    count_gold,
    list_own_flags,
    list_remarks,
    look_blind,
    passed_on_by,
    read_keys,
    read_review_config,
)
from curriculum.selectors.reviewing.desk_progress import (
    list_reviewing_phases,
    read_review_progress,
)
from curriculum.selectors.reviewing.guidelines import find_newest_guideline
from curriculum.selectors.reviewing.next_task import peek_next, read_on_desk
from curriculum.selectors.reviewing.own_decisions import (
    find_last_of_phase,
    find_last_review,
)
from curriculum.services import Reservation
from rollouts.selectors.pages import find_failed_episode
from webrl_site.statistics import Proportion, wilson

HEARTBEATS_PER_LEASE = 3
# How long what is shown with a task is cached; accepted tasks change meanwhile.
WARM_S = 60
# A share of fewer items means too little for a notice.
MIN_GOLD = 5


def describe_desk(
    reviewer: User,
    held: Reservation | None,
    phase_id: int | None,
    last: Review | None = None,
) -> dict[str, Any]:
    """Return the desk's variables; `held` is on the reviewer's desk, or None.

    `last` is their last decision, if it was just made.
    """
    just_now, last = last, last or find_last_review(reviewer)
    guideline = find_newest_guideline()
    context: dict[str, Any] = {
        "guideline": guideline,
        "is_new_guideline": _is_new(guideline, last),
        "task": None,
        "phase_id": phase_id,
        "keys": (keys := read_keys(reviewer.pk)),
        "key_labels": [(keys[action], label) for action, label in ACTIONS.items()],
        "reviewing": (reviewing := list_reviewing_phases()),
        "chosen_phase": next((one for one in reviewing if one.pk == phase_id), None),
        "progress": read_review_progress(reviewer, phase_id, reviewing),
        "last_review": just_now
        or (find_last_of_phase(reviewer, phase_id, last) if phase_id else last),
        "reasons": list(enumerate(Review.Reason.choices, start=1)),
        "lease_s": int(settings.REVIEW_LEASE_S),
        "heartbeat_s": max(1, int(settings.REVIEW_LEASE_S / HEARTBEATS_PER_LEASE)),
    }
    if held is not None:
        opinion = describe_opinion(held, reviewer)
        context |= opinion | describe_task(held)
        if opinion["first"]:
            # Nothing is decided yet: undo would take back another task's decision.
            context["last_review"] = None
        context |= _read_remarks(held, reviewer, is_blind=opinion["is_hidden"])
    else:
        context["passed_on"] = passed_on_by(reviewer.pk).count()
        context["evolving"] = curriculum_pages.list_evolving_phases()
    return context


def _is_new(guideline: Guideline | None, last: Review | None) -> bool:
    """Say whether the person decided before, by other guidelines."""
    seen = last.guideline_id if last else None
    return guideline is not None and seen is not None and seen != guideline.pk


def describe_opinion(held: Reservation, reviewer: User) -> dict[str, Any]:
    """Return whether the machine's opinion is hidden, and what was decided before it.

    The task's own page shows its status, so it is linked only if neither the opinion
    nor gold items have to be hidden from the reviewer.
    """
    config = read_review_config(held.phase)
    is_hidden, first = look_blind(held.task, held.phase, reviewer.pk)
    return {
        "is_hidden": is_hidden,
        "first": first,
        "has_task_page": not config.blind_first and not config.gold_rate,
        "gold": _gold_notice(reviewer, config),
    }


def _gold_notice(reviewer: User, config: ReviewConfig) -> Proportion | None:
    """Return the share of gold items decided rightly, if it needs a notice."""
    if not config.gold_rate:
        return None
    share = wilson(*count_gold(reviewer.pk))
    if share.rate is None or share.n < MIN_GOLD:
        return None
    return share if share.rate < config.gold_threshold else None


def warm_next(reviewer: User, phase_id: int | None) -> None:
    """Prepare what is shown with the next task, so that it appears at once."""
    found = peek_next(reviewer.pk, phase_id)
    if found is not None:
        _find_surroundings(read_on_desk(found))


def _find_surroundings(task: Task) -> dict[str, Any]:
    """Return what is shown with a task: the slow part of the desk, cached a minute."""
    key = f"desk:{task.pk}:{task.digest}"
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        found = {
            "failed_episode": find_failed_episode(task.parent_id, task.born_in_id),
            "similar": curriculum_pages.list_similar_tasks(task),
        }
        cache.set(key, found, WARM_S)
    return found


def describe_task(held: Reservation) -> dict[str, Any]:
    task = held.task
    return {
        "task": task,
        "phase": held.phase,
        "token": held.token,
        "instruction": task.instruction,
        **_find_surroundings(task),
    }


def _read_remarks(
    held: Reservation, reviewer: User, *, is_blind: bool
) -> dict[str, Any]:
    """Return flags about a task: to reviewers their own, to researchers all.

    Other people's opinions would bias a blind review.
    """
    if is_blind or not has_role(reviewer, ROLE_RESEARCHER):
        return {"flags": list_own_flags(held.task.pk, reviewer)}
    return {"remarks": list_remarks(held.task)}
