"""What a person does is saved and answered also while no broker is there."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from celery import Task
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError

from curriculum.models import Phase, Site
from rollouts import services as rollouts
from rollouts.models import InstanceCheck
from tests.factories import PhaseFactory, SiteFactory
from webrl_site.loop import wakeups
from webrl_site.loop.tasks import sweep

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


def test_the_sweep_repeats_a_check_whose_message_was_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://x/")
    rollouts.request_check(site_id=site.pk)
    sent: list[str] = []
    monkeypatch.setattr(wakeups, "_send", lambda job: sent.append(job.task))
    sweep()
    assert sent == []
    InstanceCheck.objects.update(wanted_at=timezone.now() - dt.timedelta(minutes=5))
    sweep()

    assert sent == ["rollouts.tasks.check_site"]
