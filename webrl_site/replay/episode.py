"""The replay's page: the film, one step in full, and their context."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils.translation import gettext_lazy

from curriculum.models import Site
from rollouts.models import EvidenceKind, Trajectory
from rollouts.selectors.pages import (
    Progress,
    find_neighbours,
    list_episodes_of_task,
)
from webrl_site.recorded import trace_viewer
from webrl_site.replay.addresses import DashboardAddresses, describe_removal
from webrl_site.replay.film import make_film
from webrl_site.replay.prompt import observed_form
from webrl_site.replay.steps import Episode, describe_step, load_episode
from webrl_site.replay.verdicts import describe_verdicts

VIEWPORT = (1280, 720)
OBSERVED_AS = {
    "compact": gettext_lazy("compact HTML"),
    "webrl": gettext_lazy("WebRL's simplified HTML"),
    "accessibility_tree": gettext_lazy("accessibility tree"),
}
# Episodes of the same task to compare with, the newest.
MAX_OTHERS = 20


def open_episode(trajectory: Trajectory, *, is_blind: bool = False) -> Episode:
    """Read an episode as the dashboard shows it.

    `is_blind` leaves out what trainings made of the steps, which reveals the verdict.
    """
    episode = load_episode(trajectory, DashboardAddresses(trajectory.pk))
    if not is_blind:
        return episode
    outlines = [dataclasses.replace(o, experiences=[]) for o in episode.outlines]
    return dataclasses.replace(episode, outlines=outlines)


def describe_replay(
    episode: Episode,
    number: int,
    reader: AbstractBaseUser | AnonymousUser,
    training_id: int | None = None,
    *,
    is_blind: bool = False,
) -> dict[str, Any]:
    """Return the whole page's variables; the number of queries is constant."""
    trajectory = episode.trajectory
    before, after = find_neighbours(trajectory)
    others = list_episodes_of_task(trajectory.task_id, limit=MAX_OTHERS)
    return {
        **describe_progress(episode, reader, training_id, is_blind=is_blind),
        "others": [row for row in others if row.pk != trajectory.pk],
        "before_id": before,
        "after_id": after,
        **describe_panel(episode, number, is_blind=is_blind),
    }


def describe_progress(
    episode: Episode,
    reader: AbstractBaseUser | AnonymousUser,
    training_id: int | None = None,
    *,
    is_blind: bool = False,
) -> dict[str, Any]:
    """Return the variables of what changes while the episode runs."""
    row, count = episode.trajectory, len(episode.outlines)
    progress = Progress.read(row.status, row.attempt, count, row.leased_until)
    return {
        **describe_verdicts(row, reader, is_blind=is_blind),
        "film": make_film(episode.outlines, training_id),
        "progress": progress,
    }


def describe_panel(
    episode: Episode, number: int, *, is_blind: bool = False
) -> dict[str, Any]:
    """Return the variables of one step's part of the page."""
    has_steps = bool(episode.outlines)
    gone = episode.removed.get(EvidenceKind.TRACE)
    return {
        "current": number,
        "is_blind": is_blind,
        "detail": describe_step(episode, number) if has_steps else None,
        "viewport": VIEWPORT,
        "has_trace": has_trace(episode),
        "trace_gone": describe_removal(gone) if gone else "",
        "can_take_over": _can_take_over(episode.trajectory),
        "trajectory": episode.trajectory,
        "observed_as": OBSERVED_AS[observed_form(episode.trajectory)],
    }


def has_trace(episode: Episode) -> bool:
    """Say whether there is a trace, and a viewer for it."""
    is_there = EvidenceKind.TRACE not in episode.removed
    return bool(episode.trajectory.trace) and is_there and trace_viewer.is_offered()


def _can_take_over(row: Trajectory) -> bool:
    """Say whether an offer makes sense; the service checks all the task's sites."""
    over = (Trajectory.Status.FINISHED, Trajectory.Status.FAILED)
    return row.status in over and row.task.site.kind == Site.Kind.SANDBOX
