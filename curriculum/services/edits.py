"""Changes the settings of a stopped or failed phase and resumes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import PhaseStateError
from curriculum.events import ChangeData, EditEvent, publish
from curriculum.models import Phase, Run
from curriculum.services.phases import resume_phase
from curriculum.services.sites import check_sites

RESTING = (Phase.Status.STOPPED, Phase.Status.FAILED)


@transaction.atomic
def edit_and_resume(
    *,
    phase_id: int,
    stage: str,
    config: Mapping[str, Any],
    changes: Sequence[ChangeData],
    by: User | None,
) -> Phase:
    """Give the run other settings from now on, note the changes, and resume the phase.

    The caller has checked the settings and that the stage allows these changes.

    Args:
        phase_id: A stopped or failed phase.
        stage: The stage at which it was stopped when the changes were checked.
        config: The whole new configuration, from `RunConfig.to_json`.
        changes: What differs, for the history.
        by: Who changed it.

    Raises:
        PhaseStateError: It is not stopped or failed, or is at another stage by now.
    """
    phase = Phase.objects.select_for_update().get(pk=phase_id)
    found = phase.resume_status or Phase.Status.PLANNED
    if phase.status not in RESTING or found != stage:
        raise PhaseStateError(
            gettext("%(phase)s has moved on; check it again.") % {"phase": phase}
        )
    check_sites(config.get("curriculum", {}).get("sites", ()))
    if changes:
        Run.objects.filter(pk=phase.run_id).update(config=dict(config))
        who = by.get_username() if by else "the workbench"
        publish(phase_id, EditEvent(by=who, changes=list(changes)))
    return resume_phase(phase_id=phase_id, by=by)
