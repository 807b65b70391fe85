"""Keeps a review from closing while its decisions are taken back, and vice versa.

Where a transaction locks tasks too, it locks them first: a decision holds its task
when it writes how far the phase is.
"""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext

from curriculum.errors import PhaseStateError
from curriculum.models import Phase, Task


def lock_if_decided(*, phase_id: int) -> bool:
    """Block undoing until the transaction ends; False where tasks wait."""
    _lock([phase_id])
    waiting = Task.objects.filter(born_in_id=phase_id, status__in=Task.UNDECIDED)
    return not waiting.exists()


def lock_in_review(phase_ids: Collection[int | None]) -> None:
    """Keep the phases of tasks in review until the transaction ends.

    Raises:
        PhaseStateError: One has moved on, or a task has none.
    """
    found = _lock({pk for pk in phase_ids if pk is not None})
    in_review = [phase for phase in found if phase.status == Phase.Status.REVIEW]
    if len(in_review) < len(set(phase_ids)):
        raise PhaseStateError(
            gettext("The phase has moved on; this can no longer be undone.")
        )


def _lock(phase_ids: Collection[int]) -> list[Phase]:
    """Lock as an update would: rows that refer to a phase can still be written."""
    phases = Phase.objects.select_for_update(no_key=True)
    return list(phases.filter(pk__in=phase_ids).order_by("pk"))
