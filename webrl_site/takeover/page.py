"""What the page of a takeover shows."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils.translation import gettext as _

from curriculum.errors import TakeoverError
from rollouts.browser.actions.dialects import DIALECTS, DialectName
from rollouts.browser.actions.webrl import KINDS
from rollouts.browser.actions.writing import WRITABLE, find_home, write_call
from rollouts.browser.errors import is_failure
from rollouts.models import Takeover
from rollouts.selectors.takeovers import (
    count_rebuilt,
    list_marks,
    list_own_steps,
    read_state,
    seconds_left,
)
from rollouts.services.queue import read_rollout_config
from webrl_site.replay.action_words import describe_action
from webrl_site.replay.addresses import DashboardAddresses
from webrl_site.replay.episode import VIEWPORT
from webrl_site.server.workers import is_served


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """One action that can be chosen, and the fields that it needs."""

    name: str
    help: str
    wants: str


@dataclasses.dataclass(frozen=True, slots=True)
class Deed:
    """One thing that the person has done; `number` counts from 1."""

    number: int
    call: str
    error: str

    @property
    def has_failed(self) -> bool:
        return is_failure(self.error)


def describe_takeover(
    takeover: Takeover,
    reader: AbstractBaseUser | AnonymousUser,
    chosen: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the page's variables; `chosen` is what the person had filled in."""
    state, row = read_state(takeover), takeover.trajectory
    picture = takeover.page.get("picture", "")
    marks = list_marks(takeover.page) if state in ("ready", "acting") else []
    return {
        "takeover": takeover,
        "trajectory": row,
        "state": state,
        "is_mine": takeover.author_id == reader.pk,
        "is_busy": state in ("waiting", "rebuilding", "acting"),
        "is_served": state != "waiting" or is_served("takeover"),
        "rebuilt": count_rebuilt(takeover) if state == "rebuilding" else 0,
        "viewport": VIEWPORT,
        "has_failed": is_failure(takeover.page.get("error", "")),
        "picture": DashboardAddresses(row.pk).screenshot(picture) if picture else "",
        "marks": marks,
        "choices": list_choices(takeover) if state == "ready" else [],
        "chosen": chosen or {},
        "seconds_left": seconds_left(takeover),
        "deeds": [
            Deed(
                step.index + 1,
                describe_action(step.action, step.observation),
                step.error,
            )
            for step in list_own_steps(takeover)
        ],
    }


def read_dialect(takeover: Takeover) -> DialectName:
    """Return how the run's policy writes its actions."""
    return read_rollout_config(takeover.trajectory.phase).action_dialect


def list_choices(takeover: Takeover) -> list[Choice]:
    """Return the actions of the run's dialect, the one that ends it last."""
    return [_describe(name) for name in WRITABLE[read_dialect(takeover)]]


def _describe(name: str) -> Choice:
    kind = KINDS[name]
    wanted = {
        "element": kind.needs_element,
        "argument": kind.needs_argument or kind.takes_argument,
    }
    return Choice(name, kind.help, " ".join(key for key in wanted if wanted[key]))


def write_wish(takeover: Takeover, filled: dict[str, Any]) -> str:
    """Return the answer for the action that the person has filled in.

    Raises:
        TakeoverError: It is not an action, or lacks something.
    """
    dialect = read_dialect(takeover)
    output: str = filled["line"] or write_call(
        dialect,
        filled["action"],
        element=filled["element"],
        argument=filled["argument"],
        label=_find_label(takeover, filled["element"]),
        home=find_home(takeover.trajectory.task.start_url),
    )
    error = DIALECTS[dialect].parse(output).error
    if error:
        raise TakeoverError(_("This is not an action: %(why)s") % {"why": error})
    return output


def _find_label(takeover: Takeover, element: int | None) -> str:
    elements = takeover.page.get("elements", [])
    return next((one["text"] for one in elements if one["id"] == element), "")
