from __future__ import annotations

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory

from curriculum import errors
from tests.seed import Example
from tests.webrl_site.api.conftest import Post
from tests.webrl_site.conftest import SignIn
from webrl_site.api import problems

CONTENT_TYPE = "application/problem+json"


@pytest.mark.parametrize(
    ("who", "method", "url", "status", "name"),
    [
        ("", "get", "/api/tasks/", 401, "not-authenticated"),
        ("annotator", "get", "/api/runs/", 403, "permission-denied"),
        ("annotator", "post", "/api/phases/1/stop/", 403, "permission-denied"),
        ("researcher", "get", "/api/tasks/999999/", 404, "not-found"),
        ("researcher", "post", "/api/phases/999999/stop/", 404, "not-found"),
        ("researcher", "post", "/api/runs/999999/phases/", 404, "not-found"),
        ("researcher", "get", "/api/nothing/", 404, "not-found"),
        ("researcher", "delete", "/api/tasks/", 405, "method-not-allowed"),
        ("researcher", "post", "/api/tasks/import/", 415, "unsupported-media-type"),
    ],
)
def test_every_error_is_a_problem(
    who: str, method: str, url: str, status: int, name: str, sign_in: SignIn
):
    response = getattr(sign_in(who), method)(url)

    body = response.json()
    assert response.status_code == body["status"] == status
    assert response["Content-Type"] == CONTENT_TYPE
    assert body["type"] == f"/api/problems/{name}/"
    assert body["title"]
    assert body["detail"]


def test_wrong_fields_are_named(researcher: Client, post: Post):
    body = post(researcher, "/api/runs/", {"seed": -1}).json()

    assert body["type"] == "/api/problems/invalid/"
    assert set(body["errors"]) == {"name", "seed"}
    assert body["detail"] == "Look at name, seed."


def test_settings_that_exclude_one_another_are_a_kind_of_their_own(
    researcher: Client, post: Post
):
    clash = {"rollout": {"share_sites": True, "reset_sites": "per_task"}}
    body = post(researcher, "/api/runs/", {"name": "new", "config": clash}).json()

    assert body["type"] == "/api/problems/settings-clash/"
    assert body["title"] == problems.TITLES["settings-clash"]
    assert researcher.get(body["type"]).status_code == 200


def test_a_message_may_repeat_half_a_character(researcher: Client, post: Post):
    response = post(researcher, "/api/runs/", {"name": "new", "preset": "\ud800"})

    assert response.status_code == 400
    assert response.json()["errors"] == {"preset": ['"?" is not a valid choice.']}


def test_a_second_launch_is_a_conflict_that_names_the_open_phase(
    researcher: Client, example: Example, post: Post
):
    response = post(researcher, f"/api/runs/{example.run.pk}/phases/")

    assert response.status_code == 409
    assert response.json()["type"] == "/api/problems/phase-conflict/"
    assert response.json()["phase_id"] == example.review_phase.pk


@pytest.mark.parametrize(
    "body", ["{", "[" * 100_000, '{"a": NaN}', "\xff"], ids=["cut", "deep", "NaN", "?"]
)
def test_a_body_that_is_no_json_is_refused(body: str, researcher: Client):
    response = researcher.post(
        "/api/runs/", body.encode("latin-1"), content_type="application/json"
    )

    assert response.status_code == 400
    assert response.json()["type"] == "/api/problems/parse-error/"


def test_the_type_of_a_problem_can_be_looked_up(client: Client):
    body = client.get("/api/problems/lease-lost/").json()

    assert body["title"] == problems.TITLES["lease-lost"]
    assert client.get("/api/problems/unheard-of/").status_code == 404


def test_every_error_of_the_workbench_has_a_title():
    known = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    kinds = [kind for kind in known if issubclass(kind, errors.WorkbenchError)]
    never_answered = {"stage-lost", "generator-error", "phase-paused"}

    named = {problems.name_of(kind) for kind in kinds} - never_answered

    assert len(named) > 5
    assert named <= set(problems.TITLES)


def test_a_crash_is_a_problem_for_programs_and_a_page_for_people(rf: RequestFactory):
    def crash(request: HttpRequest) -> str:
        return problems.server_error(request)["Content-Type"]

    assert crash(rf.get("/api/tasks/")) == CONTENT_TYPE
    assert crash(rf.get("/curriculum/")).startswith("text/html")


def test_a_page_that_is_missing_stays_a_page(researcher: Client):
    response = researcher.get("/nothing/")

    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")
