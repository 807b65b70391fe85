from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curriculum.models import Phase
from rollouts.models import HandOver
from tests.factories import PhaseFactory, UserFactory
from webrl_site.phases.progress import PhaseFacts, list_stages

SERVED = "https://models.example/v1#base"


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(roles=["researcher"]))
    return client


@pytest.fixture
def phase(db: None) -> Phase:
    made: Phase = PhaseFactory(
        status=Phase.Status.STOPPED,
        resume_status=Phase.Status.HANDING_OVER,
        failure_reason="Serve the weights.",
        served_uri=SERVED,
        next_policy_uri="starter/policy",
    )
    HandOver.objects.create(
        phase=made,
        policy_uri="starter/policy",
        digest="d" * 64,
        way="vllm_adapter",
        state=HandOver.State.FAILED,
        reason="No room.",
        tries=2,
        started_at=timezone.now(),
    )
    return made


def read(client: Client, phase: Phase) -> str:
    return client.get(f"/phases/{phase.pk}/").content.decode()


def test_a_paused_phase_says_what_to_do_and_offers_a_new_try(
    client: Client, phase: Phase
):
    page = read(client, phase)
    assert "The phase is paused" in page
    assert "Serve the weights." in page
    assert f'value="{SERVED}"' in page
    assert "vllm_adapter, tried 2 times" in " ".join(page.split())
    assert "Try again" in page


def test_an_address_lets_the_phase_go_on(client: Client, phase: Phase):
    uri = "https://models.example/v1#base-2"
    client.post(f"/phases/{phase.pk}/served/", {"served_uri": uri})
    phase.refresh_from_db()
    assert (phase.status, phase.next_served_uri) == ("handing_over", uri)


def test_what_is_no_address_is_refused_with_the_reason(client: Client, phase: Phase):
    answer = client.post(
        f"/phases/{phase.pk}/served/", {"served_uri": "here"}, follow=True
    )
    assert "does not name a served model" in answer.content.decode()
    phase.refresh_from_db()
    assert phase.status == "stopped"


def test_only_researchers_name_an_address(phase: Phase):
    client = Client()
    client.force_login(UserFactory(roles=["annotator"]))
    answer = client.post(f"/phases/{phase.pk}/served/", {"served_uri": SERVED})
    assert answer.status_code == 403


def test_a_phase_without_a_server_speaks_of_none(client: Client):
    page = read(client, PhaseFactory(status=Phase.Status.STOPPED))
    assert "Served policy" not in page


@pytest.mark.parametrize(("served", "count"), [("", 7), (SERVED, 8)])
def test_only_a_server_is_handed_weights(served: str, count: int):
    phase = Phase(number=1, status="planned", served_uri=served)
    facts: dict[str, Any] = {"by_purpose": {}, "evolved": {}, "progress": {}}
    now = timezone.now()
    stages = list_stages(PhaseFacts(phase=phase, training=None, now=now, **facts))
    assert len(stages) == count
    assert ("handing_over" in [stage.key for stage in stages]) is bool(served)
