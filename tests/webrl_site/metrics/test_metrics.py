from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from curriculum.models import Phase
from tests.factories import PhaseFactory, QueuedTrajectoryFactory
from webrl_site.server.workers import sign_on

pytestmark = pytest.mark.django_db
TOKEN = "a token of thirty letters, no less"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def monitored(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN


def read(client: Client) -> dict[str, float]:
    """Return the samples by name with labels."""
    text = client.get("/metrics", headers=BEARER).content.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (x.rpartition(" ") for x in lines)}


@pytest.mark.parametrize("header", ["", TOKEN, f"Basic {TOKEN}", "Bearer ", "Bearer x"])
def test_without_the_token_there_is_no_such_page(
    monitored: None, client: Client, header: str
):
    headers = {"Authorization": header} if header else {}
    assert client.get("/metrics", headers=headers).status_code == 404


@pytest.mark.parametrize("header", ["", "Bearer ", "Bearer"])
def test_where_no_token_is_set_nobody_has_it(client: Client, header: str):
    assert client.get("/metrics", headers={"Authorization": header}).status_code == 404


def test_prometheus_reads_work_phases_and_workers(monitored: None, client: Client):
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory.create_batch(3, phase=phase)
    sign_on(name="one", queues=["loop", "rollouts"])

    found = read(client)

    assert found['webrl_queue_depth{queue="episodes"}'] == 3
    assert found['webrl_episodes{state="queued"}'] == 3
    assert found['webrl_episodes{state="failed"}'] == 0
    assert found['webrl_phases{state="collecting"}'] == 1
    assert found['webrl_workers_alive{queue="rollouts"}'] == 1
    [silent] = [n for n in found if n.startswith("webrl_worker_silent_seconds")]
    assert 'queues="loop rollouts"' in silent
    assert found["webrl_disk_free_bytes"] > 0


def test_episodes_of_a_phase_that_does_not_collect_do_not_wait(
    monitored: None, client: Client
):
    QueuedTrajectoryFactory(phase=PhaseFactory(status=Phase.Status.STOPPED))

    assert read(client)['webrl_queue_depth{queue="episodes"}'] == 0


def test_requests_are_timed_by_route_and_not_by_path(monitored: None, client: Client):
    name = 'webrl_http_request_seconds_count{method="GET",route="%s",status="%s"}'
    before = read(client)
    client.get("/phases/987654321/")
    client.get("/no/such/place/")
    after = read(client)

    for label in (name % ("phases/<int:phase_id>/", 302), name % ("none", 404)):
        assert after[label] - before.get(label, 0) == 1
    assert "987654321" not in str(after)


def test_a_database_that_does_not_answer_is_a_503(monitored: None, client: Client):
    def no_answer(*_: Any) -> None:
        raise OperationalError("connection to 10.0.0.7 refused")

    with connection.execute_wrapper(no_answer):
        response = client.get("/metrics", headers=BEARER)

    assert response.status_code == 503
    assert b"10.0.0.7" not in response.content
