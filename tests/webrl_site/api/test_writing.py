from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase, Review, Run, Task
from tests.seed import Example
from tests.webrl_site.api.conftest import Post
from tests.webrl_site.conftest import SignIn


def claim(client: Client, post: Post) -> Any:
    return post(client, "/api/reviews/claim/").json()


def test_a_phase_is_opened_stopped_and_resumed(
    researcher: Client,
    closed_phase: Phase,
    post: Post,
):
    opened = post(researcher, f"/api/runs/{closed_phase.run_id}/phases/")
    phase = opened.json()
    stopped = post(researcher, f"/api/phases/{phase['id']}/stop/").json()
    resumed = post(researcher, f"/api/phases/{phase['id']}/resume/").json()

    assert opened.status_code == 201
    assert phase["number"] == 3
    assert stopped["status"] == "stopped"
    assert resumed["status"] == phase["status"]


def test_a_phase_that_waits_cannot_be_resumed(
    researcher: Client, example: Example, post: Post
):
    response = post(researcher, f"/api/phases/{example.running_phase.pk}/resume/")

    assert response.status_code == 409
    assert response.json()["type"] == "/api/problems/phase-state-error/"


def test_a_review_is_finished(researcher: Client, example: Example, post: Post):
    post(researcher, f"/api/phases/{example.review_phase.pk}/finish-review/")

    left = Task.objects.filter(born_in=example.review_phase, status="shortlisted")
    assert not left.exists()


def test_a_run_is_made_from_a_preset_and_what_differs(
    researcher: Client, example: Example, post: Post
):
    config = {"curriculum": {"tasks_per_phase": 17}}
    made = post(researcher, "/api/runs/", {"name": "mine", "config": config, "seed": 4})

    assert made.status_code == 201
    assert made.json()["config"]["curriculum"]["tasks_per_phase"] == 17
    assert made.json()["config"]["curriculum"]["sites"] == ["shop"]
    assert made.json()["created_by"] == "researcher"
    assert made.json()["last_phase"] is None


def test_a_run_is_launched_at_once(researcher: Client, example: Example, post: Post):
    made = post(researcher, "/api/runs/", {"name": "mine", "launch": True}).json()

    assert made["last_phase_status"] == "planned"
    assert Phase.objects.get(pk=made["last_phase"]).created_by == example.researcher


def test_a_run_that_cannot_be_launched_is_not_made(
    researcher: Client, example: Example, post: Post
):
    Task.objects.update(status="rejected")

    response = post(researcher, "/api/runs/", {"name": "mine", "launch": True})

    assert response.status_code == 400
    assert not Run.objects.filter(name="mine").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"config": {"algorithm": {"betta": 1}}}, "betta"),
        ({"config": {"algorithm": {"beta": "high"}}}, "beta"),
        ({"config": {"luck": {}}}, "luck"),
        ({"config": []}, "object"),
        ({"config": {"curriculum": 3}}, "curriculum"),
        ({"policy_uri": "no/such"}, "no/such"),
        ({"rollout": {"step_limit": 9}}, "rollout"),
    ],
)
def test_a_wrong_setting_is_named(
    change: dict[str, Any], message: str, researcher: Client, post: Post
):
    response = post(researcher, "/api/runs/", {"name": "mine", **change})

    assert response.status_code == 400
    assert message in response.content.decode()


def test_a_task_is_reserved_decided_and_taken_back(
    annotator: Client, example: Example, post: Post
):
    held = claim(annotator, post)
    task = held["task"]["id"]
    decision = {"task": task, "token": held["token"], "decision": "accept"}
    decided = post(annotator, "/api/reviews/", decision)
    after = Task.objects.get(pk=task).status
    undone = post(annotator, f"/api/reviews/{decided.json()['id']}/undo/").json()

    assert decided.status_code == 201
    assert decided.json()["reviewer"] == "annotator"
    assert after == "accepted"
    assert undone["undone_at"]
    assert Task.objects.get(pk=task).status == "shortlisted"


def test_a_reservation_is_kept(annotator: Client, example: Example, post: Post):
    held = claim(annotator, post)

    lease = {"task": held["task"]["id"], "token": held["token"]}
    renewed = post(annotator, "/api/reviews/renew/", lease).json()

    assert renewed["leased_until"] > held["leased_until"]


def test_a_decision_under_a_wrong_token_writes_nothing(
    annotator: Client, example: Example, post: Post
):
    held, before = claim(annotator, post), Review.objects.count()
    decision = {"task": held["task"]["id"], "token": "f" * 32, "decision": "accept"}

    response = post(annotator, "/api/reviews/", decision)

    assert response.status_code == 409
    assert response.json()["type"] == "/api/problems/lease-lost/"
    assert Review.objects.count() == before


def test_nobody_decides_what_somebody_else_reserved(
    annotator: Client, example: Example, sign_in: SignIn, post: Post
):
    held = claim(annotator, post)
    decision = {"task": held["task"]["id"], "token": held["token"]}

    response = post(
        sign_in("researcher"), "/api/reviews/", decision | {"decision": "accept"}
    )

    assert response.status_code == 409


def test_nothing_to_review_is_an_empty_answer(
    annotator: Client, example: Example, post: Post
):
    Task.objects.filter(status="shortlisted").update(status="rejected")

    assert post(annotator, "/api/reviews/claim/").status_code == 204


def test_tasks_are_imported_whole_or_not_at_all(
    researcher: Client, example: Example, post: Post
):
    good = {**example.evolved[0].spec, "key": "imported.1", "intent": "Find a mug"}
    before = Task.objects.count()

    refused = post(
        researcher, "/api/tasks/import/", {"tasks": [good, good | {"sites": ["moon"]}]}
    )
    done = post(researcher, "/api/tasks/import/", {"tasks": [good]})

    assert refused.status_code == 400
    assert "Task 2: sites" in refused.json()["detail"]
    assert done.json() == {
        **{"created": 1, "kept": 0, "repeated": 0},
        **{"suite": "", "sites": [], "leaks": 0},
    }
    assert Task.objects.count() == before + 1


def test_every_mistake_of_an_import_is_told_by_field(
    researcher: Client, example: Example, post: Post
):
    good = {**example.evolved[0].spec, "key": "imported.1"}
    wrong = [good | {"intent": "", "split": "exam"}] * 11

    problem = post(researcher, "/api/tasks/import/", {"tasks": [good, *wrong]}).json()

    assert problem["detail"] == problem["errors"]["tasks.2.intent"][0]
    assert len(problem["errors"]) == 20
    assert problem["errors"]["tasks.2.split"][0].startswith("Task 2: split: must be")
    assert problem["errors_left_out"] == 2


def test_lines_that_cannot_be_read_are_told_by_line(researcher: Client):
    problem = researcher.post(
        "/api/tasks/import/", "{}\n{\n", content_type="application/x-ndjson"
    ).json()

    assert list(problem["errors"]) == ["lines.2"]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "application/x-ndjson",
            '{"key": "l.1", "sites": ["shop"], "intent": "Find a mug", '
            '"start_url": "__SHOP__/"}\n',
        ),
        (
            "text/csv",
            "key,site,instruction,start_url\nl.1,shop,Find a mug,__SHOP__/\n",
        ),
    ],
)
def test_a_task_file_is_imported_as_it_is(kind: str, body: str, researcher: Client):
    response = researcher.post("/api/tasks/import/", body, content_type=kind)

    assert response.status_code == 200, response.content
    assert Task.objects.get(key="l.1").instruction == "Find a mug"
