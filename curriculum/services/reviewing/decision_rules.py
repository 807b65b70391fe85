"""Rules that all decisions about evolved tasks share."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from curriculum.errors import ReviewError
from curriculum.events import ProgressEvent, publish
from curriculum.models import Review, Task
from curriculum.selectors.held_out import open_leak_gate
from curriculum.selectors.reviewing.desk import count_after_one, count_review
from curriculum.services.reviewing.review_lease import NO_LEASE
from curriculum.services.reviewing.rewording import reword

MAX_INSTRUCTION_LENGTH = 2000
LEAK = gettext_lazy(
    "This resembles the test task %(key)s; training on it would leak: %(instruction)s"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """What one person decides about one task.

    Attributes:
        choice: One of `Review.Decision`.
        edited_instruction: The changed instruction with which the task is accepted.
        reason: Why the task is rejected, one of `Review.Reason`.
        note: A note for other people.
        skip_to: Who gets a skipped task next, one of `Review.SkipTo`.
        seconds_spent: How long the task was on the desk; None where unknown.
        guideline: The version that the person saw; None for the newest.
    """

    choice: str
    edited_instruction: str = ""
    reason: str = ""
    note: str = ""
    skip_to: str = Review.SkipTo.LAST
    seconds_spent: float | None = None
    guideline: int | None = None

    @property
    def is_skip(self) -> bool:
        """Whether the task is left undecided."""
        return self.choice == Review.Decision.SKIP

    @property
    def is_accepting(self) -> bool:
        """Whether the task is accepted, with its own instruction or an edited one."""
        return self.choice in (Review.Decision.ACCEPT, Review.Decision.EDIT)

    @property
    def words(self) -> str:
        """The edited instruction with single spaces."""
        return " ".join(self.edited_instruction.split())

    def as_worded(self, instruction: str) -> Decision:
        """Return the decision that follows from the instruction, spaces ignored.

        An acceptance with a changed instruction is an edit, and an edit without a
        change is an acceptance.
        """
        words, choice = "", self.choice
        if self.is_accepting and self.words:
            is_new = self.words != " ".join(instruction.split())
            words = self.words if is_new else ""
            choice = Review.Decision.EDIT if is_new else Review.Decision.ACCEPT
        return dataclasses.replace(self, choice=choice, edited_instruction=words)


def check_decision(decision: Decision) -> None:
    """Refuse an incomplete decision.

    Raises:
        ReviewError: There is no such decision, or its text, reason or note is missing.
    """
    if decision.choice not in Review.Decision.values:
        raise ReviewError(
            gettext("There is no decision %(decision)r.")
            % {"decision": decision.choice}
        )
    if decision.choice == Review.Decision.EDIT and not decision.words:
        raise ReviewError(gettext("Write the edited instruction."))
    if len(decision.words) > MAX_INSTRUCTION_LENGTH:
        raise ReviewError(
            gettext("At most %(longest_instruction)s characters.")
            % {"longest_instruction": MAX_INSTRUCTION_LENGTH}
        )
    is_rejection = decision.choice == Review.Decision.REJECT
    if is_rejection and decision.reason not in Review.Reason.values:
        raise ReviewError(gettext("Choose the reason for the rejection."))
    if decision.is_skip:
        _check_skip(decision)


def _check_skip(decision: Decision) -> None:
    """Refuse to leave a task to others without a note."""
    if decision.skip_to not in Review.SkipTo.values:
        raise ReviewError(
            gettext("Nothing can be skipped to %(skip_to)r.")
            % {"skip_to": decision.skip_to}
        )
    if decision.skip_to != Review.SkipTo.LAST and not decision.note.strip():
        raise ReviewError(
            gettext("Write in the note why you leave this task to others.")
        )


def check_leak(instruction: str, site: str) -> None:
    """Refuse an instruction that resembles a test task's; `site` is the site's key.

    Raises:
        ReviewError: The instruction resembles that of a test task.
    """
    leak = open_leak_gate([site]).find(site, instruction)
    if leak is not None:
        figures = {"key": leak.key, "instruction": leak.instruction}
        raise ReviewError(str(LEAK) % figures)


def close_task(task: Task, status: str, text: str, checked: str = "") -> dict[str, Any]:
    """Return the new fields of a task that gets this status and loses its lease.

    `checked` is an instruction that `check_leak` has just passed.

    Raises:
        ReviewError: It would be accepted with an instruction like a test task's.
    """
    if status == Task.Status.ACCEPTED and text != checked:
        check_leak(text, task.site.key)
    changes = NO_LEASE | {"status": status}
    return changes | reword(task, text) if text != task.instruction else changes


def announce(phase_ids: Sequence[int]) -> None:
    """Notify the phases' pages of how many decisions are left."""
    for phase_id in phase_ids:
        _publish(phase_id, count_review(phase_id, anew=True))


def announce_one(phase_id: int) -> None:
    """Notify the phase's pages that one more task was decided, if that is due."""
    counted = count_after_one(phase_id)
    if counted is not None:
        _publish(phase_id, counted)


def _publish(phase_id: int, counted: Counter[str]) -> None:
    left = sum(counted[status] for status in Task.UNDECIDED)
    done = sum(counted[status] for status in Task.DECIDED)
    event = ProgressEvent(stage="review", done=done, total=left + done)
    publish(phase_id, event)
