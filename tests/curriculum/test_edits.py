from __future__ import annotations

import pytest

from curriculum.errors import LeaseLost, PhaseStateError
from curriculum.events import ChangeData
from curriculum.services import digest_settings, edit_and_resume
from tests.factories import SMALL, PhaseFactory

pytestmark = pytest.mark.django_db
CHANGE = ChangeData(key="rollout.contexts", before="3", after="5")


def test_a_phase_that_has_moved_meanwhile_is_left_alone():
    phase = PhaseFactory(status="stopped", resume_status="evaluating")

    with pytest.raises(PhaseStateError, match="moved on"):
        edit_and_resume(
            phase_id=phase.pk,
            stage="collecting",
            config={"rollout": {}},
            based_on=digest_settings(phase.run),
            changes=[CHANGE],
            by=None,
        )

    phase.run.refresh_from_db()
    assert phase.run.config == SMALL.to_json()


def test_without_changes_it_is_a_resume():
    phase = PhaseFactory(status="stopped", resume_status="scoring")

    edit_and_resume(
        phase_id=phase.pk, stage="scoring", config={}, based_on="", changes=[], by=None
    )

    phase.refresh_from_db()
    assert phase.status == "scoring"
    assert not phase.events.filter(kind="edit").exists()


def test_settings_that_others_have_edited_meanwhile_are_left_alone():
    phase = PhaseFactory(status="stopped", resume_status="collecting")
    shown = digest_settings(phase.run)
    phase.run.config = phase.run.config | {"rollout": {"contexts": 7}}
    phase.run.save(update_fields=["config"])

    with pytest.raises(LeaseLost, match="Someone else"):
        edit_and_resume(
            phase_id=phase.pk,
            stage="collecting",
            config={"rollout": {}},
            based_on=shown,
            changes=[CHANGE],
            by=None,
        )

    phase.run.refresh_from_db()
    assert phase.run.config["rollout"] == {"contexts": 7}
