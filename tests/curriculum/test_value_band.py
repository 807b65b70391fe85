from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from curriculum.access.roles import ROLE_RESEARCHER, ensure_roles
from curriculum.errors import NotAllowed, PhaseStateError, ReviewError
from curriculum.models import Phase, PhaseEvent, Task
from curriculum.selectors.value_band import (
    BINS,
    Band,
    draw_histogram,
    valued_tasks,
    weigh_band,
)
from curriculum.services import move_band
from curriculum.texts.sentences import Sentence
from tests.factories import PhaseFactory, TaskFactory

pytestmark = pytest.mark.django_db

BAND = Band(0.2, 0.6)


@pytest.fixture
def phase() -> Phase:
    return PhaseFactory.create(status=Phase.Status.REVIEW)


@pytest.fixture
def researcher() -> User:
    ensure_roles()
    user = User.objects.create_user("rosa")
    user.groups.add(Group.objects.get(name=ROLE_RESEARCHER))
    return user


def valued(phase: Phase, value: float, status: str, **fields: object) -> Task:
    return TaskFactory.create(
        born_in=phase, origin="evolved", value_estimate=value, status=status, **fields
    )


def test_the_histogram_counts_every_value_once(phase):
    for value in (0.0, 0.009, 0.011, 1.0):
        valued(phase, value, "accepted")
    counts = [bar.count for bar in draw_histogram(valued_tasks(phase.pk))]
    assert (counts[0], counts[1], counts[-1], sum(counts)) == (2, 1, 1, 4)
    assert len(counts) == BINS


def test_the_histogram_is_one_phases_or_everyones(phase):
    valued(phase, 0.5, "accepted")
    valued(PhaseFactory.create(), 0.5, "accepted")
    assert sum(bar.count for bar in draw_histogram(valued_tasks(phase.pk))) == 1
    assert sum(bar.count for bar in draw_histogram(valued_tasks(None))) == 2


def test_a_band_is_weighed_site_by_site(phase):
    valued(phase, 0.3, "shortlisted")
    valued(phase, 0.9, "shortlisted")
    valued(phase, 0.9, "accepted")
    valued(phase, 0.2, "filtered")
    [row] = weigh_band(valued_tasks(phase.pk), BAND)
    assert (row.inside, row.enter, row.leave, row.decided, row.after) == (3, 1, 1, 1, 3)


def test_moving_the_band_lets_tasks_in_and_out(phase, researcher):
    enters = valued(phase, 0.6, "filtered", filter_reason="Too easy: ...")
    leaves = valued(phase, 0.61, "shortlisted")
    moved = move_band(phase_id=phase.pk, band=BAND, by=researcher)
    enters.refresh_from_db()
    leaves.refresh_from_db()
    assert (moved.entered, moved.left) == (1, 1)
    assert (enters.status, enters.filter_reason) == ("shortlisted", "")
    assert leaves.status == "filtered"
    assert leaves.filter_reason == "Too easy: value 0.61 above 0.60"


def test_moving_the_band_back_undoes_it(phase, researcher):
    valued(phase, 0.9, "shortlisted")
    valued(phase, 0.1, "filtered")
    before = list(Task.objects.order_by("pk").values_list("status", flat=True))
    move_band(phase_id=phase.pk, band=Band(0.0, 0.5), by=researcher)
    move_band(phase_id=phase.pk, band=Band(0.5, 1.0), by=researcher)
    after = list(Task.objects.order_by("pk").values_list("status", flat=True))
    assert after == before


def test_decided_tasks_stay(phase, researcher):
    for status in ("accepted", "rejected"):
        valued(phase, 0.9, status)
    moved = move_band(phase_id=phase.pk, band=BAND, by=researcher)
    assert moved.left == 0
    assert not Task.objects.filter(status="filtered").exists()


def test_a_task_that_somebody_is_deciding_stays(phase, researcher):
    until = timezone.now() + timedelta(minutes=1)
    valued(phase, 0.9, "shortlisted", leased_until=until, lease_token="t")
    assert move_band(phase_id=phase.pk, band=BAND, by=researcher).left == 0


def test_what_resembles_a_test_task_stays_out(phase, researcher):
    reason = Sentence("resembles_test", key="t", instruction="Buy a mug")
    valued(phase, 0.4, "filtered", filter_reason=reason)
    assert weigh_band(valued_tasks(phase.pk), BAND) == []
    assert move_band(phase_id=phase.pk, band=BAND, by=researcher).entered == 0


def test_tasks_that_were_filtered_without_a_value_stay_out(phase, researcher):
    TaskFactory.create(born_in=phase, origin="evolved", status="filtered")
    assert move_band(phase_id=phase.pk, band=Band(0, 1), by=researcher).entered == 0


def test_the_move_is_told_in_the_phases_history(phase, researcher):
    valued(phase, 0.3, "filtered")
    move_band(phase_id=phase.pk, band=BAND, by=researcher)
    [event] = PhaseEvent.objects.filter(phase=phase)
    assert event.data["text"].startswith("rosa moved the value band to 0.20 to 0.60")


@pytest.mark.parametrize("status", ["evolving", "closed"])
def test_only_a_phase_in_review_can_be_moved(status, researcher):
    phase = PhaseFactory.create(status=status)
    with pytest.raises(PhaseStateError):
        move_band(phase_id=phase.pk, band=BAND, by=researcher)


def test_a_band_upside_down_is_refused(phase, researcher):
    with pytest.raises(ReviewError, match="lower to a higher"):
        move_band(phase_id=phase.pk, band=Band(0.6, 0.2), by=researcher)


def test_an_annotator_cannot_move_the_band(phase):
    with pytest.raises(NotAllowed):
        move_band(phase_id=phase.pk, band=BAND, by=User.objects.create_user("anna"))
