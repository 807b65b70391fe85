"""How far a phase is, as the shell shows it."""

from __future__ import annotations

import datetime as dt
import io
from types import SimpleNamespace

import pytest
from django.utils import timezone
from rich.console import Console

from curriculum.models import Phase, PhaseEvent
from tests.factories import PhaseFactory
from webrl_site.runs.follow import SHARES, Follower, Status, _forecast, _measure


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
    assert _forecast(60.0, 0.25, first=0.0) == "about 3:00 left"


def test_only_the_pace_since_watching_began_counts():
    assert _forecast(60.0, 0.75, first=0.5) == "about 1:00 left"


@pytest.mark.parametrize(("done", "first"), [(0.01, 0.0), (0.95, 0.91)])
def test_nothing_is_forecast_without_a_pace(done: float, first: float):
    assert _forecast(60.0, done, first) == ""


@pytest.mark.django_db
def test_a_phase_that_was_under_way_is_not_forecast_at_once(
    monkeypatch: pytest.MonkeyPatch,
):
    phase = PhaseFactory(status="evaluating")
    clock = iter([0.0, 10.0])

    def end(seconds: float) -> None:
        Phase.objects.filter(pk=phase.pk).update(status="closed")

    monkeypatch.setattr(
        "webrl_site.runs.follow.time",
        SimpleNamespace(monotonic=lambda: next(clock), sleep=end),
    )
    console = Console(file=(out := io.StringIO()), force_terminal=False, width=200)
    Follower(console).follow(phase, lambda phase: None)

    assert "Evaluating" in out.getvalue()
    assert "left" not in out.getvalue()
