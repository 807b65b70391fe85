"""A job's handling of errors: the phase fails, keeps the reason, can be resumed."""

from __future__ import annotations

import logging
import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, DataError

from curriculum.errors import EndpointDown, PhasePaused, StageLost, WorkbenchError
from curriculum.events import tell_phase_once
from curriculum.models import Phase
from curriculum.rules.disk_room import is_full_error
from curriculum.rules.stopping import STOPPING
from curriculum.services.phases import fail_phase, pause_phase, wait_for_endpoint

logger = logging.getLogger(__name__)
MAX_REASON_LENGTH = 2000
# Seconds until a stage is tried again whose writes a full disk refused.
DISK_WAIT_S = 60.0
# Characters of its error in the phase's history.
MAX_TOLD = 300


def name_owner() -> str:
    """Return a name for one job's claims: host, process and a random part."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


@contextmanager
def failing_phase(phase_id: int) -> Iterator[str]:
    """Yield the phase's status; an error inside marks that stage as failed or paused.

    A database or an endpoint that does not answer, a disk without room, or a worker
    that shuts down is not a failure of the phase: the job ends, and the sweep enqueues
    it again.
    """
    status = Phase.objects.values_list("status", flat=True).filter(pk=phase_id).first()
    try:
        yield status or ""
    except DataError as error:
        # The database answers: it refuses a value, and would refuse it again.
        logger.exception("Phase %s failed while %s", phase_id, status)
        _fail(phase_id, status, f"The database refused a value: {error}")
    except DatabaseError:
        logger.exception("Phase %s: the database did not answer", phase_id)
    except StageLost as error:
        logger.warning("Phase %s: %s", phase_id, error.message)
    except EndpointDown as error:
        logger.warning("Phase %s waits: %s", phase_id, error.message)
        if error.wait_s:
            wait_for_endpoint(phase_id=phase_id, wait_s=error.wait_s)
    except PhasePaused as error:
        pause_phase(phase_id=phase_id, stage=status or "", reason=error.message)
    except WorkbenchError as error:
        _fail(phase_id, status, error.message)
    except Exception as error:
        if is_full_error(error):
            logger.exception("Phase %s: the disk is full", phase_id)
            _wait_for_room(phase_id, error)
            return
        if STOPPING.is_set():
            logger.exception("Phase %s: interrupted by a shutdown", phase_id)
            return
        logger.exception("Phase %s failed while %s", phase_id, status)
        _fail(phase_id, status, f"{type(error).__name__}: {error}")


def _fail(phase_id: int, status: str | None, reason: str) -> None:
    if status:
        fail_phase(phase_id=phase_id, stage=status, reason=shorten(reason))


def _wait_for_room(phase_id: int, error: Exception) -> None:
    """Say that the disk refuses writes, and try again later; it may be a quota."""
    reason = f"{type(error).__name__}: {error}"[-MAX_TOLD:]
    try:
        tell_phase_once(phase_id, "disk_refused", reason=reason)
        wait_for_endpoint(phase_id=phase_id, wait_s=DISK_WAIT_S)
    except DatabaseError:
        logger.exception("Phase %s: nor has the database room", phase_id)


def shorten(reason: str) -> str:
    """Keep the end of a long reason, where tools report the error."""
    if len(reason) <= MAX_REASON_LENGTH:
        return reason
    return f"… {reason[2 - MAX_REASON_LENGTH :]}"
