"""Reviews through the API go by the rules of the desk's page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import FirstLook, GoldItem, Phase, Review, Task
from tests.factories import EvolvedTaskFactory, PhaseFactory, UserFactory, review_phase
from tests.webrl_site.api.conftest import Post

pytestmark = pytest.mark.django_db
CLAIM = "/api/reviews/claim/"
SOME = 0.5


@pytest.fixture
def ann() -> Client:
    client = Client()
    client.force_login(UserFactory(username="ann", roles=["annotator"]))
    return client


@pytest.fixture
def gold() -> list[Task]:
    """Two gold items of an earlier phase, and forty tasks among which they come."""
    EvolvedTaskFactory.create_batch(
        40, born_in=review_phase(gold_rate=SOME, blind_first=True)
    )
    closed = PhaseFactory(status=Phase.Status.CLOSED)
    tasks = EvolvedTaskFactory.create_batch(2, born_in=closed, status="accepted")
    GoldItem.objects.bulk_create(GoldItem(task=one, accepts=True) for one in tasks)
    return tasks


def lease(held: Any) -> dict[str, Any]:
    return {"task": held["task"]["id"], "token": held["token"]}


def decide(client: Client, post: Post, held: Any) -> Any:
    """Look first, then decide; return the answers."""
    decision = {**lease(held), "decision": "accept"}
    seen = post(client, "/api/reviews/first-look/", decision).json()
    return seen, post(client, "/api/reviews/", decision).json()


def test_gold_items_come_among_the_others_each_once(
    ann: Client, gold: list[Task], post: Post
):
    came = []
    while (answer := post(ann, CLAIM)).status_code == 200:
        came.append(answer.json()["task"]["id"])
        decide(ann, post, answer.json())

    known = [task.pk for task in gold]
    assert sorted(pk for pk in came if pk in known) == known
    assert len(came) == len(set(came)) == 42


def test_every_answer_about_a_gold_item_looks_like_any_other(
    ann: Client, gold: list[Task], post: Post
):
    known, shapes, leases = {task.pk for task in gold}, [], []
    while (answer := post(ann, CLAIM)).status_code == 200:
        held = answer.json()
        renewed = post(ann, "/api/reviews/renew/", lease(held)).json()
        seen, review = decide(ann, post, held)
        undone = post(ann, f"/api/reviews/{review['id']}/undo/").json()
        decide(ann, post, held := post(ann, CLAIM).json())
        is_gold = held["task"]["id"] in known
        leases.append(len(held["token"]))
        told = (held["phase"], held["opinion_hidden"], *map(sorted, (held, seen)))
        others = (sorted(renewed), sorted(review), sorted(undone))
        shapes.append((is_gold, (told, others, renewed["leased_until"] is None)))

    assert sum(is_gold for is_gold, _ in shapes) == 2
    assert len({str(shape) for _, shape in shapes}) == 1
    assert set(leases) == {32}


def test_a_gold_items_decision_moves_no_phase(
    ann: Client, gold: list[Task], post: Post
):
    while (answer := post(ann, CLAIM)).status_code == 200:
        decide(ann, post, answer.json())

    assert Review.objects.filter(kind="gold").count() == 2
    assert {Task.objects.get(pk=task.pk).status for task in gold} == {"accepted"}


def test_a_blind_review_hides_the_opinion_until_the_first_look(ann: Client, post: Post):
    EvolvedTaskFactory(
        born_in=review_phase(blind_first=True), value_estimate=0.4, is_feasible=True
    )
    held = post(ann, CLAIM).json()
    look = {**lease(held), "decision": "reject", "reason": "ambiguous"}
    seen = post(ann, "/api/reviews/first-look/", look).json()

    names = ("value_estimate", "is_feasible", "feasibility_reason")
    assert held["opinion_hidden"] and not seen["opinion_hidden"]
    assert [held["task"][name] for name in names] == [None, None, ""]
    assert [seen["task"][name] for name in names][:2] == [0.4, True]
    assert seen["first_decision"] == "reject"
    assert post(ann, CLAIM).json()["task"] == seen["task"]


def test_a_blind_decision_needs_the_first_look(ann: Client, post: Post):
    EvolvedTaskFactory(born_in=review_phase(blind_first=True))
    held = post(ann, CLAIM).json()
    decision = {**lease(held), "decision": "accept"}

    refused = post(ann, "/api/reviews/", decision)
    post(ann, "/api/reviews/first-look/", decision)
    done = post(ann, "/api/reviews/", decision)

    assert refused.json()["type"] == "/api/problems/first-look-missing/"
    assert done.status_code == 201
    assert Review.objects.get().first_decision == "accept"


def test_a_first_look_needs_the_reservation(ann: Client, post: Post):
    task = EvolvedTaskFactory(born_in=review_phase(blind_first=True))
    look = {"task": task.pk, "token": "f" * 32, "decision": "accept"}

    answer = post(ann, "/api/reviews/first-look/", look)

    assert answer.status_code == 409
    assert not FirstLook.objects.exists()


def test_a_skip_is_no_first_look(ann: Client, post: Post):
    EvolvedTaskFactory(born_in=review_phase(blind_first=True))
    held = post(ann, CLAIM).json()

    answer = post(ann, "/api/reviews/first-look/", {**lease(held), "decision": "skip"})

    assert answer.status_code == 400


def test_other_runs_show_the_opinion_at_once(ann: Client, post: Post):
    EvolvedTaskFactory(value_estimate=0.4)

    held = post(ann, CLAIM).json()

    assert held["task"]["value_estimate"] == 0.4
    assert not held["opinion_hidden"]


def test_a_task_is_left_to_others(ann: Client, post: Post):
    EvolvedTaskFactory()
    skip = {"decision": "skip", "skip_to": "others", "note": "not my shop"}

    post(ann, "/api/reviews/", {**lease(post(ann, CLAIM).json()), **skip})

    assert Review.objects.get().skip_to == "others"
    assert post(ann, CLAIM).status_code == 204


def test_an_edit_of_blanks_is_refused(ann: Client, post: Post):
    EvolvedTaskFactory()
    edit = {"decision": "edit", "edited_instruction": " \n "}

    answer = post(ann, "/api/reviews/", {**lease(post(ann, CLAIM).json()), **edit})

    assert answer.status_code == 400
    assert "Write the edited instruction." in answer.content.decode()
    assert not Review.objects.exists()
