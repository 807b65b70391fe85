"""What the decisions about evolved tasks have in common, whoever takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from curriculum.errors import ReviewError
from curriculum.events import publish
from curriculum.evolution.types import digest_task
from curriculum.models import Review, Task
from curriculum.selectors.reviewing.desk import count_review
from curriculum.services.reviewing.review_lease import NO_LEASE

MAX_INSTRUCTION_LENGTH = 2000
LEAK = gettext_lazy("This is a test task; training on it would leak.")


def check_skip(skip_to: str, note: str) -> None:
    """Refuse to leave a task to others without a word.

    Raises:
        ReviewError: There is no such way to skip, or the note is missing.
    """
    if skip_to not in Review.SkipTo.values:
        raise ReviewError(
            gettext("Nothing can be skipped to %(skip_to)r.") % {"skip_to": skip_to}
        )
    if skip_to != Review.SkipTo.LAST and not note.strip():
        raise ReviewError(
            gettext("Write in the note why you leave this task to others.")
        )


def check_decision(decision: str, edited: str, reason: str) -> None:
    """Refuse a decision that misses something.

    Raises:
        ReviewError: There is no such decision, or its text or reason is missing.
    """
    if decision not in Review.Decision.values:
        raise ReviewError(
            gettext("There is no decision %(decision)r.") % {"decision": decision}
        )
    if decision == Review.Decision.EDIT and not edited:
        raise ReviewError(gettext("Write the edited instruction."))
    if len(edited) > MAX_INSTRUCTION_LENGTH:
        raise ReviewError(
            gettext("At most %(longest_instruction)s characters.")
            % {"longest_instruction": MAX_INSTRUCTION_LENGTH}
        )
    if decision == Review.Decision.REJECT and reason not in Review.Reason.values:
        raise ReviewError(gettext("Choose the reason of the rejection."))


def as_worded(decision: str, text: str, instruction: str) -> tuple[str, str]:
    """Return what a decision is by its words, and the new ones if there are any.

    Spaces aside, other words make an edit of an acceptance, and the same words an
    acceptance of an edit.
    """
    words = text.split()
    if decision not in (Review.Decision.ACCEPT, Review.Decision.EDIT) or not words:
        return decision, ""
    if words == instruction.split():
        return Review.Decision.ACCEPT, ""
    return Review.Decision.EDIT, " ".join(words)


def check_leak(instruction: str, start_url: str) -> None:
    """Refuse to train on what is tested with.

    Raises:
        ReviewError: A test task has this instruction and start page.
    """
    digest = digest_task(instruction, start_url)
    if Task.objects.filter(split=Task.Split.TEST, digest=digest).exists():
        raise ReviewError(str(LEAK))


def with_instruction(task: Task, text: str) -> dict[str, Any]:
    """Return the fields of a task that follow from its instruction."""
    return {
        "instruction": text,
        "digest": digest_task(text, task.start_url),
        "spec": {**task.spec, "intent": text},
    }


def close_task(task: Task, status: str, text: str, checked: str = "") -> dict[str, Any]:
    """Return the new fields of a task that gets this status; it is held no more.

    `checked` are words that `check_leak` let pass just now.

    Raises:
        ReviewError: It would be accepted with the words of a test task.
    """
    if status == Task.Status.ACCEPTED and text != checked:
        check_leak(text, task.start_url)
    changes = NO_LEASE | {"status": status}
    return (
        changes | with_instruction(task, text) if text != task.instruction else changes
    )


def announce(phase_ids: Sequence[int]) -> None:
    """Tell the phases' pages how many decisions are left."""
    for phase_id in phase_ids:
        counted = count_review(phase_id, anew=True)
        left = sum(counted[status] for status in Task.UNDECIDED)
        done = sum(counted[status] for status in Task.DECIDED)
        counts = {"done": done, "total": left + done, "seconds_left": None}
        publish(phase_id, "progress", stage="review", **counts)
