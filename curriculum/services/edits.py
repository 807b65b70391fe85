"""Changes the settings of a stopped or failed phase and resumes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import LeaseLost, PhaseStateError
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
    based_on: str,
    changes: Sequence[ChangeData],
    by: User | None,
) -> Phase:
    """Give the run other settings from now on, note the changes, and resume the phase.

    The caller has checked the settings and that the stage allows these changes.

    Args:
        phase_id: A stopped or failed phase.
        stage: The stage at which it was stopped when the changes were checked.
        config: The whole new configuration, from `RunConfig.to_json`.
        based_on: `digest_settings` of the run's configuration that was edited.
        changes: What differs, for the history.
        by: Who changed it.

    Raises:
        PhaseStateError: It is not stopped or failed, or is at another stage by now.
        LeaseLost: Another person has edited the settings meanwhile.
    """
    phase = Phase.objects.select_for_update().get(pk=phase_id)
    found = phase.resume_status or Phase.Status.PLANNED
    if phase.status not in RESTING or found != stage:
        raise PhaseStateError(
            gettext("%(phase)s has moved on; check it again.") % {"phase": phase}
        )
    check_sites(config.get("curriculum", {}).get("sites", ()))
    if changes:
        run = Run.objects.select_for_update(no_key=True).get(pk=phase.run_id)
        check_settings(run, based_on)
        Run.objects.filter(pk=phase.run_id).update(config=dict(config))
        who = by.get_username() if by else "the workbench"
        publish(phase_id, EditEvent(by=who, changes=list(changes)))
    return resume_phase(phase_id=phase_id, by=by)


def digest_settings(run: Run) -> str:
    """Return a text that is another one once the run's configuration was changed."""
    text = json.dumps(run.config, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def check_settings(run: Run, based_on: str) -> None:
    """Refuse to write over settings that have changed since they were shown.

    Raises:
        LeaseLost: Another person has edited them.
    """
    if digest_settings(run) != based_on:
        raise LeaseLost(
            gettext("Someone else has since changed this. Compare, then save.")
        )
