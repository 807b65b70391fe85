"""All reasons why a run cannot be made with some values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.rules.checkpoints import check_checkpoint
from curriculum.rules.served_policies import check_reward_model, check_served
from curriculum.rules.vocabularies import check_same_vocabulary
from curriculum.selectors.pages import is_run_name_taken
from curriculum.services.reviewing.team import check_team
from webrl_site.runs.config import list_clashes

WEIGHTS = ("policy_uri", "critic_uri", "orm_uri")
BESIDE_POLICY = {"critic_uri": check_same_vocabulary, "orm_uri": check_reward_model}
REVIEWERS = "review.reviews_per_task"


def list_problems(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the mistakes by the launch form's field names; {} if there are none.

    `values` are only those that are valid for their fields.
    """
    found = list_clashes(values)
    if is_run_name_taken(values.get("name", "")):
        found["name"] = gettext("There is already a run called %(name)r.") % {
            "name": values["name"]
        }
    for key in WEIGHTS:
        if key in values:
            _note(found, key, check_checkpoint, values[key])
    for key, check in BESIDE_POLICY.items():
        if all(one in values and one not in found for one in ("policy_uri", key)):
            beside = functools.partial(check, values["policy_uri"])
            _note(found, key, beside, values[key])
    if values.get("served_uri") and "policy_uri" not in found:
        _note(found, "served_uri", _check_served, values)
    if REVIEWERS in values:
        _note(found, REVIEWERS, check_team, {"reviews_per_task": values[REVIEWERS]})
    return found


def _check_served(values: Mapping[str, Any]) -> None:
    rollout = {"action_dialect": values.get("rollout.action_dialect")}
    check_served(values["served_uri"], values.get("policy_uri", ""), rollout)


def _note(
    found: dict[str, str], key: str, check: Callable[[Any], object], value: object
) -> None:
    try:
        check(value)
    except WorkbenchError as error:
        found[key] = error.message
