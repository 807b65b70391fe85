from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from curriculum import services
from curriculum.models import Review, Run, Task
from curriculum.object_store.store import StoreDown
from tests.seed import Example
from tests.webrl_site.api.conftest import Post
from tests.webrl_site.conftest import SignIn
from webrl_site.api import stored_responses
from webrl_site.api.errors import RequestRunning
from webrl_site.api.idempotency import REPEATED, AnswersOnce
from webrl_site.api.urls import urlpatterns
from webrl_site.loop.tasks import forget_answers
from webrl_site.models import IdempotentResponse

KEY = {"Idempotency-Key": "a-key"}


@pytest.fixture
def claimed(example: Example) -> Any:
    """A running request of the researcher under the key: `POST /api/runs/`."""

    def claim(digest: str = "0" * 64) -> IdempotentResponse:
        return stored_responses.claim_answer(
            user_id=example.researcher.pk, key="a-key", digest=digest
        )

    return claim


def test_a_request_that_is_sent_twice_is_done_once(
    researcher: Client, example: Example, post: Post
):
    first = post(researcher, "/api/runs/", {"name": "mine"}, **KEY)
    second = post(researcher, "/api/runs/", {"name": "mine"}, **KEY)

    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert REPEATED not in first
    assert second[REPEATED] == "true"
    assert Run.objects.filter(name="mine").count() == 1


def test_without_a_key_every_request_counts(
    researcher: Client, example: Example, post: Post
):
    post(researcher, "/api/runs/", {"name": "mine"})

    assert post(researcher, "/api/runs/", {"name": "mine"}).status_code == 400


def test_a_decision_is_repeated_though_its_reservation_is_gone(
    annotator: Client, example: Example, post: Post
):
    held = post(annotator, "/api/reviews/claim/").json()
    decision = {"task": held["task"]["id"], "token": held["token"]}
    decision["decision"] = "accept"

    first = post(annotator, "/api/reviews/", decision, **KEY)
    second = post(annotator, "/api/reviews/", decision, **KEY)

    assert first.json() == second.json()
    assert Review.objects.filter(task=held["task"]["id"]).count() == 1


def test_a_refusal_is_repeated_too(researcher: Client, example: Example, post: Post):
    url = f"/api/runs/{example.run.pk}/phases/"

    first, second = (post(researcher, url, **KEY) for _ in range(2))

    assert first.status_code == second.status_code == 409
    assert first.json() == second.json()
    assert second["Content-Type"] == "application/problem+json"


def test_an_outage_leaves_the_key_free(
    researcher: Client, example: Example, post: Post, monkeypatch: pytest.MonkeyPatch
):
    def fail(**values: Any) -> Run:
        Run.objects.create(name="half", policy_uri="a", critic_uri="b", orm_uri="c")
        raise StoreDown("The object store does not answer.", wait_s=9)

    with monkeypatch.context() as patch:
        patch.setattr(services, "create_run", fail)
        first = post(researcher, "/api/runs/", {"name": "mine"}, **KEY)

    assert (first.status_code, first["Retry-After"]) == (503, "9")
    assert first.json()["type"] == "/api/problems/store-down/"
    assert "store" in first.json()["title"]
    assert not Run.objects.filter(name="half").exists()
    second = post(researcher, "/api/runs/", {"name": "mine"}, **KEY)
    assert (second.status_code, REPEATED in second) == (201, False)


def test_an_answer_without_a_body_is_repeated(
    annotator: Client, example: Example, post: Post
):
    Task.objects.filter(status="shortlisted").update(status="rejected")

    first, second = (post(annotator, "/api/reviews/claim/", **KEY) for _ in range(2))

    assert first.status_code == second.status_code == 204
    assert second.content == b""


@pytest.mark.parametrize(
    ("url", "body"), [("/api/runs/", {"name": "other"}), ("/api/reviews/claim/", None)]
)
def test_a_key_is_for_one_request(
    url: str, body: Any, researcher: Client, example: Example, post: Post
):
    post(researcher, "/api/runs/", {"name": "mine"}, **KEY)

    response = post(researcher, url, body, **KEY)

    assert response.status_code == 422
    assert response.json()["type"] == "/api/problems/key-reused/"


def test_the_bodys_layout_does_not_matter(
    researcher: Client, example: Example, post: Post
):
    post(researcher, "/api/runs/", {"name": "mine", "seed": 3}, **KEY)

    again = researcher.post(
        "/api/runs/",
        '{ "seed": 3,   "name": "mine" }',
        content_type="application/json",
        headers=KEY,
    )

    assert again.status_code == 201


def test_people_do_not_share_keys(sign_in: SignIn, example: Example, post: Post):
    post(sign_in("researcher"), "/api/runs/", {"name": "mine"}, **KEY)

    other = post(sign_in("admin"), "/api/runs/", {"name": "other"}, **KEY)

    assert other.status_code == 201


def test_a_request_that_still_runs_is_a_conflict(claimed: Any):
    claimed()

    with pytest.raises(RequestRunning):
        claimed()


def test_the_conflict_says_when_to_ask_again(
    researcher: Client, example: Example, post: Post
):
    post(researcher, "/api/runs/", {"name": "mine"}, **KEY)
    IdempotentResponse.objects.update(status=None)

    response = post(researcher, "/api/runs/", {"name": "mine"}, **KEY)

    assert response.status_code == 409
    assert response.json()["type"] == "/api/problems/request-running/"
    assert response["Retry-After"] == "1"


def test_a_request_that_died_is_taken_over_and_writes_nothing_more(claimed: Any):
    dead = claimed()
    with time_machine.travel(timezone.now() + stored_responses.LEASE):
        heir = claimed()

    assert heir.attempt == 2
    with pytest.raises(stored_responses.AnswerLost):
        stored_responses.keep_answer(
            answer=dead, status=201, body="{}", content_type=""
        )


def test_what_a_lost_attempt_did_is_undone(
    researcher: Client, example: Example, post: Post, monkeypatch: Any
):
    make = services.create_run

    def make_slowly(**values: Any) -> Run:
        IdempotentResponse.objects.update(attempt=2)
        return make(**values)

    monkeypatch.setattr(services, "create_run", make_slowly)
    response = post(researcher, "/api/runs/", {"name": "mine"}, **KEY)

    assert response.status_code == 409
    assert not Run.objects.filter(name="mine").exists()


def test_a_crash_leaves_the_key_free(
    researcher: Client, example: Example, post: Post, monkeypatch: Any
):
    def crash(**values: Any) -> Run:
        Run.objects.create(name="half", policy_uri="a", critic_uri="b", orm_uri="c")
        raise RuntimeError

    monkeypatch.setattr(services, "create_run", crash)
    with pytest.raises(RuntimeError):
        post(researcher, "/api/runs/", {"name": "mine"}, **KEY)

    assert not IdempotentResponse.objects.exists()
    assert not Run.objects.filter(name="half").exists()


@pytest.mark.parametrize("key", ["", "x" * 256, "with space", "ü"])
def test_a_key_is_short_visible_ascii(
    key: str, researcher: Client, example: Example, post: Post
):
    key = key.encode().decode("latin-1")
    response = post(
        researcher, "/api/runs/", {"name": "mine"}, **{"Idempotency-Key": key}
    )

    assert response.status_code == 400
    assert list(response.json()["errors"]) == ["Idempotency-Key"]


def test_answers_are_kept_for_a_day(claimed: Any):
    answer = claimed()
    stored_responses.keep_answer(answer=answer, status=201, body="{}", content_type="")
    now = timezone.now()

    with time_machine.travel(now + dt.timedelta(hours=23, minutes=59)):
        assert forget_answers() == 0
    with time_machine.travel(now + dt.timedelta(hours=24, minutes=1)):
        assert forget_answers() == 1


def test_a_key_is_free_again_after_a_day_though_nobody_swept(claimed: Any):
    claimed("0" * 64)

    with time_machine.travel(timezone.now() + dt.timedelta(hours=25)):
        assert claimed("1" * 64).status is None


@pytest.mark.django_db
def test_the_database_itself_keeps_keys_apart():
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(
            cursor, IdempotentResponse._meta.db_table
        )

    unique = [c["columns"] for c in constraints.values() if c["unique"]]
    assert ["user_id", "key"] in unique


def list_views() -> Iterator[tuple[str, Any]]:
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        view = getattr(pattern.callback, "cls", None)
        if view is None:
            view = getattr(pattern.callback, "view_class", None)
        actions = getattr(pattern.callback, "actions", None) or {}
        if "post" in actions or hasattr(view, "post"):
            yield str(pattern.pattern), view


def test_every_post_honours_the_key():
    views = dict(list_views())

    assert len(views) >= 9
    assert [
        path for path, view in views.items() if not issubclass(view, AnswersOnce)
    ] == []
