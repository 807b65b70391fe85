"""The jobs of the loop: one per phase on request, one for all at every tick."""

from __future__ import annotations

import logging

from celery import shared_task
from django.db import DatabaseError

from curriculum import services as curriculum
from curriculum.errors import WorkbenchError
from curriculum.events import tell_phase_once
from curriculum.models import Phase, Review
from curriculum.selectors.reviewing.desk import is_review_over
from rollouts import services as rollouts
from webrl_site.api import stored_responses
from webrl_site.loop import phase_loop, wakeups
from webrl_site.operations.notice_delivery import SENDER
from webrl_site.operations.notices import WATCH
from webrl_site.server.guess_limits import forget_guesses
from webrl_site.server.workers import PRESENCE, note_sweep

logger = logging.getLogger(__name__)

# Characters of an error that a phase's page shows.
MAX_REASON = 300


@shared_task(name="webrl_site.loop.tasks.advance_phase")
def advance_phase(phase_id: int) -> str:
    """Move one phase as far as possible; callback of every stage's job."""
    return phase_loop.advance(phase_id)


def advance_when_over(review: Review) -> None:
    """Advance the phase after its last decision, not after one on a gold item."""
    is_gold = review.kind == Review.Kind.GOLD
    phase_id = None if is_gold else review.task.born_in_id
    if phase_id and is_review_over(phase_id):
        wakeups.advance_after_commit(phase_id)


@shared_task(name="webrl_site.loop.tasks.sweep")
def sweep() -> int:
    """Free the work of workers without a heartbeat, and wake workers for open work.

    Returns how many phases were examined.
    """
    returned = rollouts.requeue_expired()
    curriculum.expire_stages()
    wakeups.enqueue_takeovers(rollouts.end_lost_takeovers())
    if returned:
        curriculum.forget_wakeup(phase_ids=returned)
    _look_after_sites()
    _tell_people()
    waiting = (Phase.Status.CLOSED, Phase.Status.STOPPED, Phase.Status.FAILED)
    ids = list(Phase.objects.exclude(status__in=waiting).values_list("pk", flat=True))
    for phase_id in ids:
        _advance_alone(phase_id)
    note_sweep(name=PRESENCE.name)
    return len(ids)


def _advance_alone(phase_id: int) -> None:
    """Advance a phase; an error there must not stop the others.

    During an upgrade a run may have settings that only the next version knows.
    """
    try:
        _advance_or_tell(phase_id)
    except DatabaseError:
        logger.exception("Phase %s was not looked at", phase_id)


def _advance_or_tell(phase_id: int) -> None:
    """Advance a phase; an error that is not the database's is told on its page."""
    try:
        phase_loop.advance(phase_id)
    except DatabaseError:
        raise
    except Exception as error:
        logger.exception("Phase %s was not looked at", phase_id)
        reason = f"{type(error).__name__}: {error}"[:MAX_REASON]
        tell_phase_once(phase_id, "not_advanced", reason=reason)


def _look_after_sites() -> None:
    """Enqueue resets and checks; a mistake in the settings must not stop the phases."""
    try:
        wakeups.enqueue_resets()
        wakeups.enqueue_late_checks()
    except WorkbenchError:
        logger.exception("The external sites were not looked after")


@shared_task(name="webrl_site.loop.tasks.forget_answers")
def forget_answers() -> int:
    """Delete the API's answers older than a day, and old counts of failed guesses."""
    forget_guesses()
    return stored_responses.forget_answers()


def _tell_people() -> None:
    """Write notices and have them delivered; an error there does not stop phases."""
    try:
        WATCH.look()
        SENDER.wake()
    except DatabaseError:
        logger.exception("Nobody was told")
