"""Nothing that an annotator can open tells a gold item from a task that waits.

Seen from outside, a gold item differs by how it was decided and where it was born; so
every answer is fetched before and after both have changed.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from django.test import Client

from curriculum import services
from curriculum.errors import ReviewError
from curriculum.models import GoldItem, Phase, Review, Task
from curriculum.selectors.pages import list_similar_tasks
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    ReviewFactory,
    TaskFactory,
    TrajectoryFactory,
    UserFactory,
)
from tests.webrl_site.conftest import SignIn
from tests.webrl_site.conftest import example as example
from tests.webrl_site.conftest import sign_in as sign_in
from tests.webrl_site.review.test_blindness import find_what_tells, list_addresses
from tests.webrl_site.review.test_blindness import gold as gold
from tests.webrl_site.review.test_blindness import waiting as waiting

HIDDEN = ("status", "status_hidden", "born_in", "was_auto_accepted", "created_at")


def key_of(phase: Phase) -> str:
    return f"evolved.{phase.pk}.{'5' * 24}"


def address_rows(gold: Task, *phases: Phase) -> dict[str, str]:
    """Return what asks for a gold item by what is hidden of it."""
    asked = [f"phase={phase.pk}" for phase in phases]
    asked += [f"text={key_of(phase)[:12]}" for phase in phases]
    asked += ["status=accepted", "status=rejected", "status=shortlisted"]
    lists = ["/curriculum/?", "/api/tasks/?", "/api/exports/tasks/?format=csv&"]
    found = [f"{one}{query}" for one in lists for query in asked]
    found += [f"/api/reviews/?phase={phase.pk}" for phase in phases]
    found += [f"/curriculum/{gold.pk}/", f"/curriculum/{gold.pk}/family/"]
    found += [f"/curriculum/{gold.parent_id}/", f"/curriculum/{gold.parent_id}/family/"]
    return {one: one for one in [*found, f"/api/tasks/{gold.pk}/"]}


def read_row(client: Client, task: Task) -> dict[str, object]:
    row: dict[str, object] = client.get(f"/api/tasks/{task.pk}/").json()
    return row


def test_no_answer_tells_how_a_gold_item_was_decided_or_where_it_was_born(
    sign_in: SignIn, waiting: Task, gold: Task
):
    phases = PhaseFactory.create_batch(2, status=Phase.Status.CLOSED)
    statuses = ("accepted", "rejected")

    def change(turn: int) -> None:
        Task.objects.filter(pk=gold.pk).update(
            status=statuses[turn],
            born_in=phases[turn],
            key=key_of(phases[turn]),
            was_auto_accepted=bool(turn),
            created_at=gold.created_at - dt.timedelta(days=turn),
        )

    addresses = list_addresses(waiting) | address_rows(gold, *phases)
    telling = find_what_tells(sign_in("annotator"), addresses, change)

    # Counts over all tasks of a site, which name no task.
    assert telling <= {"site_list", "api-site-list", "api-site-detail"}


def test_no_answer_tells_that_a_gold_item_was_decided_attempted_or_evolved_from(
    sign_in: SignIn, waiting: Task, gold: Task
):
    def change(turn: int) -> None:
        if turn:
            ReviewFactory(task=gold, decision="edit", edited_instruction="Other.")
            EvolvedTaskFactory(parent=gold, status="filtered")
            TrajectoryFactory(task=gold, status="finished", ended_by="exit")

    pages = [f"/curriculum/{gold.pk}/", f"/curriculum/{gold.pk}/family/"]
    addresses = {page: page for page in [*pages, f"/api/tasks/{gold.pk}/"]}

    assert find_what_tells(sign_in("annotator"), addresses, change) == set()


def test_a_gold_item_reads_as_a_task_that_waits(
    sign_in: SignIn, waiting: Task, gold: Task
):
    client = sign_in("annotator")
    rows = [read_row(client, task) for task in (waiting, gold)]

    assert {tuple(row[name] for name in HIDDEN) for row in rows} == {
        ("", True, None, False, None)
    }


def test_a_review_that_is_not_blind_covers_them_too(
    sign_in: SignIn, waiting: Task, gold: Task
):
    run = waiting.born_in.run  # type: ignore[union-attr]
    run.config = {**run.config, "review": {"gold_rate": 0.1}}
    run.save()

    assert read_row(sign_in("annotator"), gold)["status"] == ""


def test_own_decisions_do_not_tell(sign_in: SignIn, waiting: Task, gold: Task):
    client = sign_in("annotator")
    me = int(client.session["_auth_user_id"])
    ReviewFactory(task=waiting, reviewer_id=me)
    ReviewFactory(task=gold, reviewer_id=me, kind=Review.Kind.GOLD)

    rows = client.get("/api/reviews/").json()["results"]
    pages = [client.get(f"/curriculum/{task.pk}/") for task in (waiting, gold)]

    assert [row["phase"] for row in rows if row["task"] in (waiting.pk, gold.pk)] == [
        None,
        None,
    ]
    assert [len(page.context["history"]) for page in pages] == [1, 1]
    assert read_row(client, gold)["status"] == read_row(client, waiting)["status"] == ""


@pytest.mark.parametrize("mixes", [True, False])
def test_no_row_of_ones_own_decisions_says_which_was_gold(
    sign_in: SignIn, waiting: Task, gold: Task, mixes: bool
):
    client = sign_in("annotator")
    me = int(client.session["_auth_user_id"])
    ReviewFactory(task=waiting, reviewer_id=me)
    ReviewFactory(task=gold, reviewer_id=me, kind=Review.Kind.GOLD)
    if not mixes:
        GoldItem.objects.all().delete()

    rows = client.get("/api/reviews/").json()["results"]
    export: Any = client.get("/api/exports/reviews/")
    rows += [json.loads(line) for line in b"".join(export).splitlines()]

    assert {row["task"] for row in rows} >= {waiting.pk, gold.pk}
    assert {row["kind"] for row in rows} == {""}


def test_researchers_see_all(sign_in: SignIn, waiting: Task, gold: Task):
    row = read_row(sign_in("researcher"), gold)

    assert (row["status"], row["status_hidden"]) == ("accepted", False)
    assert (row["born_in"], row["key"]) == (gold.born_in_id, gold.key)


def test_without_gold_items_nothing_is_covered(sign_in: SignIn, waiting: Task):
    GoldItem.objects.all().delete()
    row = read_row(sign_in("annotator"), waiting)

    assert (row["status"], row["born_in"]) == ("shortlisted", waiting.born_in_id)


def test_pages_say_why(sign_in: SignIn, waiting: Task, gold: Task):
    client = sign_in("annotator")

    for page in ("/curriculum/?origin=evolved", f"/curriculum/{gold.pk}/"):
        seen = client.get(page).content.decode()
        assert "Some tasks under review have a known right decision" in seen


@pytest.mark.django_db
def test_no_gold_item_is_called_similar_and_accepted():
    task = TaskFactory(instruction="Buy a red pen", template_key="pens")
    other = TaskFactory(
        site=task.site, instruction="Buy a blue pen", template_key="pens"
    )
    assert [one.task for one in list_similar_tasks(task)] == [other]

    GoldItem.objects.create(task=other, accepts=True)

    assert list_similar_tasks(task) == []


@pytest.mark.django_db
def test_a_task_that_did_not_evolve_cannot_be_gold():
    boss = UserFactory(roles=["researcher"])

    with pytest.raises(ReviewError, match="Only an evolved task"):
        services.set_gold(task_id=TaskFactory().pk, accepts=True, why="", by=boss)
