"""The error type of a failed episode: named by rules, corrected by people."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext

from curriculum.access.roles import has_any_role
from curriculum.errors import NotAllowed, VerdictError
from rollouts.browser.errors import is_failure
from rollouts.models import Step, Trajectory
from rollouts.rules.error_types import Act, name_error_type


def find_error_type(trajectory_id: int, attempt: int, ended_by: str) -> str:
    """Return the rules' error type of a failed episode, from its recorded steps."""
    rows = Step.objects.filter(trajectory_id=trajectory_id, attempt=attempt)
    found = rows.order_by("index").values_list("action", "error")
    return name_error_type(ended_by, [read_act(*row) for row in found])


def read_act(action: Any, error: str) -> Act:
    """Return the fields of a step that the rules read."""
    parsed = action if isinstance(action, dict) else {}
    return Act(
        name=str(parsed.get("name", "")),
        has_element=parsed.get("element") is not None,
        has_failed=is_failure(error) or not parsed,
    )


def correct_error_type(*, trajectory_id: int, error_type: str, by: User) -> bool:
    """Store a person's error type of a failed episode; False when it has that type.

    Raises:
        NotAllowed: The person is neither annotator nor researcher.
        VerdictError: There is no such type, or the episode did not fail.
    """
    if not has_any_role(by):
        raise NotAllowed(
            gettext("Only an annotator or a researcher can judge episodes.")
        )
    if error_type not in Trajectory.ErrorType.values:
        raise VerdictError(gettext("Choose one of the four error types."))
    failed = Trajectory.objects.filter(
        pk=trajectory_id, status=Trajectory.Status.FINISHED, outcome=False
    )
    if not failed.exists():
        raise VerdictError(
            gettext(
                "Only an episode that the evaluators judged a failure "
                "has an error type."
            )
        )
    changed = failed.exclude(error_type=error_type, error_type_by__isnull=False)
    return changed.update(error_type=error_type, error_type_by=by) == 1
