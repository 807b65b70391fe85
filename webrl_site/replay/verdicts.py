"""The verdicts of evaluators, reward model and people on one episode."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any, Literal

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils.translation import gettext

from rollouts.models import HumanVerdict, Trajectory
from rollouts.selectors.verdicts import standing_verdicts

Says = Literal["yes", "no", "unclear", ""]
SAYS: dict[str, Says] = {"success": "yes", "failure": "no", "unclear": "unclear"}


@dataclasses.dataclass(frozen=True, slots=True)
class Opinion:
    """One verdict on an episode.

    Attributes:
        who: Its author.
        says: "yes" for a success, "no" for a failure, "unclear", "" for none.
        text: The same in words, with its basis.
        differs: Whether the evaluators' outcome is the opposite.
        note: What the person wrote; at: when.
    """

    who: str
    says: Says
    text: str
    differs: bool = False
    note: str = ""
    at: dt.datetime | None = None


def describe_verdicts(
    trajectory: Trajectory,
    reader: AbstractBaseUser | AnonymousUser,
    *,
    is_blind: bool = False,
) -> dict[str, Any]:
    """Return the verdicts' variables: one query; `is_blind` leaves the verdicts out."""
    if is_blind:
        return {
            "trajectory": trajectory,
            "opinions": [],
            "mine": None,
            "choices": HumanVerdict.Verdict.choices,
            "is_blind": True,
        }
    people = list(standing_verdicts([trajectory.pk]))
    truth = _say(trajectory.outcome)
    opinions = [
        Opinion(gettext("Evaluators"), truth, _explain_outcome(trajectory)),
        _ask_reward_model(trajectory, truth),
        *(_ask_person(verdict, truth) for verdict in people),
    ]
    return {
        "trajectory": trajectory,
        "opinions": opinions,
        "mine": next((v for v in people if v.author_id == reader.pk), None),
        "choices": HumanVerdict.Verdict.choices,
        "error_types": Trajectory.ErrorType.choices if trajectory.error_type else (),
    }


def _say(is_success: bool | None) -> Says:
    if is_success is None:
        return ""
    return "yes" if is_success else "no"


def _explain_outcome(trajectory: Trajectory) -> str:
    if trajectory.status != Trajectory.Status.FINISHED:
        return gettext("the episode is %(status)s") % {
            "status": trajectory.get_status_display().lower()
        }
    checks = trajectory.outcome_checks
    if trajectory.outcome is None:
        return gettext("undecided") if checks else gettext("the task has none")
    passed = sum(check.get("passed") is True for check in checks)
    return gettext("%(passed)s of %(checks_count)s checks passed") % {
        "passed": passed,
        "checks_count": len(checks),
    }


def _ask_reward_model(trajectory: Trajectory, truth: Says) -> Opinion:
    if trajectory.reward is None:
        return Opinion(gettext("Reward model"), "", gettext("not scored"))
    says = _say(trajectory.reward > 0)
    probability = trajectory.success_probability
    text = "" if probability is None else f"P(YES) {probability:.3f}"
    return Opinion(gettext("Reward model"), says, text, differs=_differs(says, truth))


def _ask_person(verdict: HumanVerdict, truth: Says) -> Opinion:
    says = SAYS[verdict.verdict]
    return Opinion(
        who=verdict.author.get_username(),
        says=says,
        text=gettext("before looking") if verdict.is_blind else "",
        differs=_differs(says, truth),
        note=verdict.note,
        at=verdict.created_at,
    )


def _differs(says: Says, truth: Says) -> bool:
    return {says, truth} == {"yes", "no"}
