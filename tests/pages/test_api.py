from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from rest_framework.authtoken.models import Token

from curriculum.models import Phase, Task
from tests.pages.conftest import SignIn
from tests.seed import Example


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:
    return sign_in("researcher")


def post(client: Client, url: str, data: Any = None) -> Any:
    return client.post(url, data or {}, content_type="application/json")


@pytest.mark.parametrize("name", ["tasks", "runs", "phases", "trajectories"])
def test_lists_are_read_in_pages(name: str, researcher: Client):
    body = researcher.get(f"/api/{name}/?limit=2").json()

    assert body["count"] >= len(body["results"]) > 0


def test_one_trajectory_comes_with_its_steps(researcher: Client, example: Example):
    url = f"/api/trajectories/{example.trajectory.pk}/"

    steps = researcher.get(f"{url}steps/").json()

    assert [step["index"] for step in steps] == [0, 1, 2, 3]
    assert researcher.get(url).json()["step_count"] == 4


def test_lists_filter_as_the_pages_do(researcher: Client):
    body = researcher.get("/api/tasks/?split=test&site=forum").json()

    assert {(row["split"], row["site"]) for row in body["results"]} == {
        ("test", "forum")
    }


def test_a_token_signs_in(example: Example):
    token = Token.objects.create(user=example.researcher)

    headers = {"Authorization": f"Token {token.key}"}

    assert Client().get("/api/tasks/", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("who", "method", "url", "status"),
    [
        ("", "get", "/api/tasks/", 401),
        ("annotator", "get", "/api/runs/", 403),
        ("annotator", "post", "/api/phases/1/stop/", 403),
        ("researcher", "get", "/api/tasks/999999/", 404),
        ("researcher", "delete", "/api/tasks/", 405),
        ("researcher", "post", "/api/tasks/import/", 415),
    ],
)
def test_every_error_has_the_same_shape(
    who: str, method: str, url: str, status: int, sign_in: SignIn
):
    response = getattr(sign_in(who), method)(url)

    assert response.status_code == status
    assert set(response.json()) == {"error"}
    assert set(response.json()["error"]) == {"code", "message", "fields"}
    assert response.json()["error"]["message"]


def test_a_second_launch_is_a_conflict(researcher: Client, example: Example):
    response = post(researcher, f"/api/runs/{example.run.pk}/phases/")

    assert response.status_code == 409
    assert response.json()["error"]["code"] == "PhaseConflict"


def test_a_phase_is_opened_stopped_and_resumed(researcher: Client, closed_phase: Phase):
    opened = post(researcher, f"/api/runs/{closed_phase.run_id}/phases/")
    phase = opened.json()
    stopped = post(researcher, f"/api/phases/{phase['id']}/stop/").json()
    resumed = post(researcher, f"/api/phases/{phase['id']}/resume/").json()

    assert opened.status_code == 201
    assert phase["number"] == 3
    assert stopped["status"] == "stopped"
    assert resumed["status"] == phase["status"]


def test_tasks_are_imported_whole_or_not_at_all(researcher: Client, example: Example):
    good = {**example.evolved[0].spec, "key": "imported.1", "intent": "Find a mug"}
    before = Task.objects.count()

    refused = post(
        researcher, "/api/tasks/import/", {"tasks": [good, good | {"sites": ["moon"]}]}
    )
    done = post(researcher, "/api/tasks/import/", {"tasks": [good]})

    assert refused.status_code == 400
    assert "Task 2: sites" in refused.json()["error"]["message"]
    assert done.json() == {
        **{"created": 1, "kept": 0, "repeated": 0},
        **{"suite": "", "sites": []},
    }
    assert Task.objects.count() == before + 1


def test_the_schema_describes_the_api(researcher: Client):
    response = researcher.get("/api/schema/", headers={"Accept": "application/json"})

    assert response.status_code == 200
    assert b"/api/tasks/import/" in response.content
