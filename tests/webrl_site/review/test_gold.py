from __future__ import annotations

import pytest
from django.test import Client

from curriculum.models import GoldItem, Task
from tests.factories import (
    EvolvedTaskFactory,
    ReviewFactory,
    UserFactory,
    review_phase,
)
from tests.webrl_site.conftest import CountQueries

pytestmark = pytest.mark.django_db


def sign_in(role: str) -> Client:
    client = Client()
    client.force_login(UserFactory(username=role, roles=[role]))
    return client


def gold(**fields: object) -> Task:
    task = EvolvedTaskFactory(status="accepted")
    GoldItem.objects.create(task=task, accepts=True, **fields)
    return task


def decided(client: Client, *, right: int, wrong: int) -> None:
    reviewer = int(client.session["_auth_user_id"])
    for place in range(right + wrong):
        is_right = place < right
        ReviewFactory(
            task=gold(),
            reviewer_id=reviewer,
            kind="gold",
            decision="accept" if is_right else "reject",
            reason="" if is_right else "harmful",
            seconds_spent=10,
        )


def test_a_researcher_makes_a_decided_task_gold_and_takes_it_back():
    client, task = sign_in("researcher"), EvolvedTaskFactory(status="rejected")
    assert (
        "Use as a gold item" in client.get(f"/curriculum/{task.pk}/").content.decode()
    )

    client.post(
        f"/review/gold/{task.pk}/set/", {"accepts": "no", "why": "no such page"}
    )
    assert not GoldItem.objects.get(task=task).accepts
    assert "no such page" in client.get("/review/gold/").content.decode()

    client.post(f"/review/gold/{task.pk}/drop/")
    assert not GoldItem.objects.exists()


def test_annotators_see_nothing_of_it():
    client, task = sign_in("annotator"), gold(why="obvious")
    ReviewFactory(task=task, kind="gold", note="found it")

    seen = client.get(f"/curriculum/{task.pk}/").content.decode()

    assert "obvious" not in seen and "old item" not in seen and "found it" not in seen
    assert client.get("/review/gold/").status_code == 403
    assert client.post(f"/review/gold/{task.pk}/set/").status_code == 403


def test_the_desk_of_a_run_with_gold_items_links_no_task_page():
    task = EvolvedTaskFactory(born_in=review_phase(gold_rate=0.1))

    seen = sign_in("annotator").get("/review/").content.decode()

    assert task.instruction in seen
    assert f'href="/curriculum/{task.pk}/"' not in seen


@pytest.mark.parametrize(
    ("right", "wrong", "is_told"), [(3, 2, True), (4, 1, False), (1, 3, False)]
)
def test_a_low_share_is_told_gently_once_it_says_something(
    right: int, wrong: int, is_told: bool
):
    client = sign_in("annotator")
    EvolvedTaskFactory.create_batch(2, born_in=review_phase(gold_rate=0.1))
    decided(client, right=right, wrong=wrong)

    response = client.get("/review/")

    assert ("whose right decision is known, you got" in response.content.decode()) is (
        is_told
    )
    assert response.context["task"] is not None


def test_the_progress_page_tells_the_share_with_its_interval():
    client = sign_in("annotator")
    decided(client, right=3, wrong=1)

    gold_share = client.get("/review/progress/").context["person"].gold

    assert (gold_share.successes, gold_share.n) == (3, 4)
    assert 0.2 < gold_share.low < 0.75 < gold_share.high < 1


def test_gold_items_ask_as_often_for_many_as_for_few(count_queries: CountQueries):
    client = sign_in("researcher")
    gold()
    few = count_queries(client, "/review/gold/")
    for _ in range(5):
        gold()

    assert count_queries(client, "/review/gold/") == few <= 6
