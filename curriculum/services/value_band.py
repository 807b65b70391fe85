"""Changes the value band of a phase in review: tasks enter or leave the review."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from curriculum.access.roles import ROLE_RESEARCHER, has_role
from curriculum.errors import NotAllowed, PhaseStateError, ReviewError
from curriculum.events import tell_phase
from curriculum.evolution.filters import find_value_reason
from curriculum.models import Phase, Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.value_band import Band, valued_tasks
from curriculum.services.reviewing.review_lease import NO_LEASE


@dataclasses.dataclass(frozen=True, slots=True)
class Moved:
    """How many tasks entered the review and how many left it."""

    entered: int
    left: int


@transaction.atomic
def move_band(*, phase_id: int, band: Band, by: User) -> Moved:
    """Shortlist tasks inside the new band, and filter those that wait outside of it.

    Decided tasks stay, and so do those on a desk at the moment. Moving the band back
    undoes the change.

    Raises:
        NotAllowed: Not a researcher.
        ReviewError: The band is empty or not within 0 to 1.
        PhaseStateError: The phase is not in review.
    """
    if not has_role(by, ROLE_RESEARCHER):
        raise NotAllowed(gettext("Only researchers can move the value band."))
    if not 0 <= band.low <= band.high <= 1:
        raise ReviewError(
            gettext("A band runs from a lower to a higher value, between 0 and 1.")
        )
    phase = Phase.objects.select_for_update().get(pk=phase_id)
    if phase.status != Phase.Status.REVIEW:
        raise PhaseStateError(
            gettext("The band can be moved only while the phase is in review.")
        )
    entered = (
        valued_tasks(phase_id)
        .filter(band.holds(), status=Task.Status.FILTERED)
        .update(status=Task.Status.SHORTLISTED, filter_reason="")
    )
    moved = Moved(entered, _filter_outside(phase_id, band))
    tell_phase(
        phase_id,
        "band_moved",
        by=by.get_username(),
        low=float(band.low),
        high=float(band.high),
        **dataclasses.asdict(moved),
    )
    return moved


def _filter_outside(phase_id: int, band: Band) -> int:
    held = Q(leased_until__gt=database_now())
    waiting = valued_tasks(phase_id).filter(status=Task.Status.SHORTLISTED)
    left = 0
    for task in waiting.exclude(band.holds()).exclude(held):
        reason = find_value_reason(task.value_estimate or 0.0, band.low, band.high)
        # A person may have reserved the task since it was read.
        left += (
            Task.objects.filter(pk=task.pk, status=Task.Status.SHORTLISTED)
            .exclude(held)
            .update(status=Task.Status.FILTERED, filter_reason=reason, **NO_LEASE)
        )
    return left
