"""The stops of the tour that people see at their first sign-in."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from curriculum.access.roles import ROLE_RESEARCHER, has_role

NEXT_ACTION = ".call, #running-title"


@dataclasses.dataclass(frozen=True, slots=True)
class Stop:
    """The text about one element: a CSS selector, or "page:NAME" for a link."""

    target: str
    title: Promise
    text: Promise

    @property
    def selector(self) -> str:
        kind, _sep, name = self.target.partition(":")
        return f'.nav a[href="{reverse(name)}"]' if kind == "page" else self.target


ACTION = Stop(
    NEXT_ACTION,
    _("Home says what comes next"),
    _(
        "The card at the top names the one thing to do now. If it is missing, "
        "nothing needs you."
    ),
)
WATCH = Stop(
    "page:rollouts:trajectory_list",
    _("See what the agent did"),
    _("Every episode can be replayed page by page, with what the model saw and wrote."),
)
HELP = Stop(
    "page:help",
    _("When you have a question"),
    _(
        "Help has the glossary, the keys and the docs, and restarts this "
        "tour. Words with a dotted underline show their meaning."
    ),
)
FOR_ANNOTATORS = (
    ACTION,
    Stop(
        "page:review",
        _("The review desk is yours"),
        _(
            "It gives you one instruction at a time and reserves it for you. "
            "Every decision has a key and can be undone."
        ),
    ),
    WATCH,
    Stop(
        "page:judges",
        _("Your verdict counts"),
        _("These are the episodes where a human verdict helps most."),
    ),
    HELP,
)
FOR_RESEARCHERS = (
    ACTION,
    Stop(
        "page:run_list",
        _("Launch, watch and compare"),
        _(
            "A run is a series of phases. Launch one from a preset; it is checked and "
            "forecast before it begins, and stopping is always safe."
        ),
    ),
    Stop(
        "#success-title",
        _("Is it getting better?"),
        # xgettext:no-python-format
        _("Success on tasks that were never trained on, with 95 % intervals."),
    ),
    WATCH,
    Stop(
        "page:charts",
        _("Numbers with episodes behind them"),
        _("Every mark has its interval and opens the episodes that it counts."),
    ),
    HELP,
)
FOR_OPERATORS = (
    ACTION,
    Stop(
        "#health-title",
        _("Is everything well?"),
        _("Workers, browsers, sites and disk, checked every half minute."),
    ),
    Stop(
        "page:run_list",
        _("Work and workers"),
        _("Runs has the queue, the workers' status and the notices."),
    ),
    Stop(
        "page:curriculum:task_list",
        _("Tasks and sites"),
        _("Curriculum has each site's status and resets, and the import of tasks."),
    ),
    Stop(
        "page:admin:index",
        _("People"),
        _("Create accounts here, and add each to the group for its role."),
    ),
    HELP,
)


def choose_stops(user: User) -> tuple[Stop, ...]:
    """Return the tour for the person's role."""
    if user.is_superuser:
        return FOR_OPERATORS
    return FOR_RESEARCHERS if has_role(user, ROLE_RESEARCHER) else FOR_ANNOTATORS
