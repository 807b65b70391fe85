"""What a person does is saved and answered also while no broker is there."""

from __future__ import annotations

from typing import Any

import pytest
from celery import Task
from django.test import Client
from kombu.exceptions import OperationalError

from curriculum.models import Phase
from tests.factories import PhaseFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(Task, "apply_async", refuse)


@pytest.mark.parametrize(
    ("before", "action", "after"),
    [("collecting", "stop", "stopped"), ("stopped", "resume", "collecting")],
)
def test_a_phase_is_steered(
    researcher: Client, before: str, action: str, after: str
) -> None:
    phase = PhaseFactory(status=before, resume_status="collecting")

    response = researcher.post(f"/phases/{phase.pk}/{action}/")

    assert response.status_code == 302
    assert Phase.objects.get(pk=phase.pk).status == after
