"""What can go wrong, in words that a page shows as they are.

WorkbenchError
    NotAllowed        the user lacks the role
    PhaseConflict     the run already has an open phase
    PhaseStateError   the phase is not in a status that allows this
    StageLost         a job that somebody else has taken over
    CheckpointError   an address without readable weights
    LeaseLost         a review was taken over or ran out
    ReviewError       a decision that misses something
    TaskImportError   a task file with a mistake
    TakeoverError     an episode that nobody can go on with by hand, or not now
    VerdictError      an episode that cannot be judged, or not like this
    GeneratorError    the instruction generator did not answer usefully
"""

from __future__ import annotations


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


class StageLost(WorkbenchError):
    """The job's lease went to somebody else: it stops and writes nothing."""


class CheckpointError(WorkbenchError):
    """An address under which no readable weights lie."""


class LeaseLost(WorkbenchError):
    """The review was taken over by somebody else, or its time ran out."""


class ReviewError(WorkbenchError):
    """A decision that misses something, such as the reason of a rejection."""


class FirstLookMissing(ReviewError):
    """The run asks for a blind decision first, and there is none."""


class TaskImportError(WorkbenchError):
    """A task file with a mistake; the message names the entry and the field."""


class TakeoverError(WorkbenchError):
    """A takeover that is not possible, not theirs, or over."""


class VerdictError(WorkbenchError):
    """An episode that cannot be judged, or a verdict that says nothing."""


class GeneratorError(WorkbenchError):
    """The instruction generator did not answer, or not usefully."""
