"""The paper's four error types of failed episodes, assigned by explicit rules.

The paper (section 4.3) sorts failures by hand. Here the first rule that holds names the
type, and a person may correct it:

1. no attempt: not one action was carried out on an element of a page;
2. stopped wrongly: the agent, or the page, ended the episode, and the task is not done;
3. stuck: it ended because of the same action, or invalid ones, again and again;
4. fail to recover: it ran out of steps or time after an action that failed, or after it
   had gone back;
5. stuck: it ran out of steps or time otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

NO_ATTEMPT = "no_attempt"
WRONG_STOP = "wrong_stop"
STUCK = "stuck"
NO_RECOVERY = "no_recovery"
ERROR_TYPES = (NO_ATTEMPT, WRONG_STOP, STUCK, NO_RECOVERY)

# Ways in which an episode ends, as `Trajectory.EndedBy` names them.
STOPS = ("exit", "page", "solved")
CIRCLES = ("repeated", "invalid")
BACKWARD = ("Go Backward", "Go Home")


@dataclasses.dataclass(frozen=True, slots=True)
class Act:
    """The fields of a step that the rules read: the action, and whether it failed.

    Attributes:
        name: Of the action; "" where the answer was none.
        has_element: Whether it was aimed at an element of the page.
        has_failed: Whether it could not be carried out.
    """

    name: str
    has_element: bool
    has_failed: bool


def name_error_type(ended_by: str, acts: Sequence[Act]) -> str:
    """Return the type of a failed episode, one of `ERROR_TYPES`."""
    if not any(act.has_element and not act.has_failed for act in acts):
        return NO_ATTEMPT
    if ended_by in STOPS:
        return WRONG_STOP
    if ended_by in CIRCLES:
        return STUCK
    went_wrong = any(act.has_failed or act.name in BACKWARD for act in acts)
    return NO_RECOVERY if went_wrong else STUCK
