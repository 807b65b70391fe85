"""How far a phase is, as the shell shows it."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from curriculum.models import Phase, PhaseEvent
from tests.factories import PhaseFactory
from webrl_site.runs.follow import SHARES, Status, _forecast, _measure


def collecting(done: int, total: int) -> Phase:
    began = timezone.now() - dt.timedelta(minutes=1)
    phase = PhaseFactory(status="collecting", stage_started_at=began)
    data = {"stage": "collecting", "done": done, "total": total}
    PhaseEvent.objects.create(phase=phase, kind="progress", data=data)
    return phase


def test_the_stages_shares_make_up_a_phase():
    assert sum(SHARES.values()) == pytest.approx(1)


def test_half_a_stage_counts_half_its_share(db: None):
    done, label = _measure(collecting(300, 600))

    before, all_of_it = SHARES[Status.BASELINE], SHARES[Status.COLLECTING]
    assert done == pytest.approx(before + all_of_it / 2)
    assert label == "Collecting episodes 300/600"


def test_a_phase_that_is_over_is_whole(db: None):
    assert _measure(PhaseFactory(status="closed"))[0] == 1


def test_the_rest_is_forecast_at_the_pace_so_far():
    assert _forecast(60.0, 0.25) == "about 3:00 left"


def test_nothing_is_forecast_without_a_pace():
    assert _forecast(60.0, 0.01) == ""
