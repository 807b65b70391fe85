"""What can go wrong, in words that a page shows as they are.

WorkbenchError
    NotAllowed        the user lacks the role
    PhaseConflict     the run already has an open phase
    PhaseStateError   the phase is not in a status that allows this
    PhasePaused       the phase waits for a person, who is told what to do
    StageLost         a stage that another job has taken over
    CheckpointError   an address without readable weights
    LeaseLost         a review was taken over or ran out
    ReviewError       an incomplete decision
    TaskImportError   a task file with mistakes
    TakeoverError     an episode that cannot be continued by hand, or not now
    VerdictError      an episode that cannot be judged, or not like this
    GeneratorError    the instruction generator did not answer usefully
"""

from __future__ import annotations

from django.utils.translation import ngettext

from curriculum.task_files.types import Refusals


class WorkbenchError(Exception):
    """Base of all errors that a person can act on; `message` is shown to them."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(WorkbenchError):
    """The user lacks the role that this needs."""


class PhaseConflict(WorkbenchError):
    """The run already has an open phase; `phase_id` says which."""

    def __init__(self, message: str, phase_id: int | None = None) -> None:
        super().__init__(message)
        self.phase_id = phase_id


class PhaseStateError(WorkbenchError):
    """The phase is not in a status that allows this."""


class PhasePaused(WorkbenchError):
    """The phase waits for a person; the message says what to do before the resume."""


class StageLost(WorkbenchError):
    """Another job has taken the lease: this one stops and writes nothing."""


class CheckpointError(WorkbenchError):
    """An address without readable weights."""


class LeaseLost(WorkbenchError):
    """Another person has taken the review over, or its time ran out."""


class ReviewError(WorkbenchError):
    """An incomplete decision, such as a rejection without a reason."""


class FirstLookMissing(ReviewError):
    """The run requires a blind decision first, and there is none."""


class TaskImportError(WorkbenchError):
    """A task file with mistakes; the message is the first of them.

    `refusals` are those with a place in the file, this one included.
    """

    def __init__(self, message: str, refusals: Refusals | None = None) -> None:
        super().__init__(message)
        self.refusals = refusals or Refusals()

    def messages(self) -> list[str]:
        """Every reported mistake, and how many others there are."""
        told = [one.message for one in self.refusals.told] or [self.message]
        left_out = self.refusals.left_out
        if left_out:
            told.append(
                ngettext(
                    "%(n)s more mistake; fix these first, then check again.",
                    "%(n)s more mistakes; fix these first, then check again.",
                    left_out,
                )
                % {"n": left_out}
            )
        return told


class TakeoverError(WorkbenchError):
    """A takeover that is impossible, another person's, or over."""


class VerdictError(WorkbenchError):
    """An episode that cannot be judged, or an empty verdict."""


class EndpointDown(WorkbenchError):
    """A model's endpoint does not answer at present: its stage waits and is retried."""

    def __init__(self, message: str, *, wait_s: float = 0.0) -> None:
        """`wait_s` is for how long the endpoint asks not to be called, in seconds."""
        super().__init__(message)
        self.wait_s = wait_s


class GeneratorError(WorkbenchError):
    """The instruction generator did not answer, or not usefully."""
