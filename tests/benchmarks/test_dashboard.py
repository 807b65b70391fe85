from __future__ import annotations

import pytest

from benchmarks import dashboard
from webrl_site.examples.scale import Scale
from webrl_site.examples.writing import write_example

TINY = Scale(
    runs=1, phases=2, collected=8, evaluated=5, steps=3, evolved=4, metric_steps=2
)


@pytest.mark.django_db
def test_every_page_is_measured_beside_the_sign_in_page(monkeypatch):
    monkeypatch.setattr(dashboard, "ROUNDS", 2)
    monkeypatch.setattr(dashboard, "MIN_EPISODES", 1)
    write_example(TINY)
    records = dashboard.run()
    assert len(records) > 15
    assert all(record.reference and "queries" in record.metric for record in records)


@pytest.mark.django_db
def test_an_empty_dashboard_is_not_measured():
    with pytest.raises(SystemExit, match="seed --scale large"):
        dashboard.run()
