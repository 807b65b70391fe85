from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from curriculum.models import Review, Task
from tests.factories import (
    EvolvedTaskFactory,
    ReviewFactory,
    UserFactory,
    review_phase,
)
from tests.webrl_site.conftest import CountQueries

pytestmark = pytest.mark.django_db


def dispute(instruction: str = "Buy mugs") -> Task:
    """A task that ada would edit and bo would reject."""
    task = EvolvedTaskFactory(
        born_in=review_phase(reviews_per_task=2),
        status=Task.Status.DISPUTED,
        instruction=instruction,
    )
    decide(task, "ada", decision="edit", edited_instruction="Buy two mugs")
    decide(task, "bo", decision="reject", reason="ambiguous", note="how many?")
    return task


def decide(task: Task, name: str, **fields: Any) -> Review:
    person = User.objects.filter(username=name).first()
    person = person or UserFactory(username=name, roles=["annotator"])
    return ReviewFactory(task=task, reviewer=person, **fields)


def test_a_dispute_shows_the_decisions_side_by_side(boss: Client):
    task = dispute()

    seen = boss.get(f"/review/disputes/{task.pk}/").content.decode()

    assert "ada" in seen and "<ins>two </ins>" in seen
    assert "bo" in seen and "how many?" in seen and "Ambiguous" in seen


def test_deciding_leads_to_the_next_dispute(boss: Client):
    first, second = dispute("Buy mugs"), dispute("Buy cups")

    response = boss.post(
        f"/review/disputes/{first.pk}/",
        {"decision": "accept", "instruction": "Buy two mugs"},
    )

    first.refresh_from_db()
    assert (first.status, first.instruction) == ("accepted", "Buy two mugs")
    assert response.headers["Location"] == f"/review/disputes/{second.pk}/"


def test_a_rejection_without_a_reason_keeps_what_was_written(boss: Client):
    task = dispute()

    response = boss.post(
        f"/review/disputes/{task.pk}/",
        {"decision": "reject", "instruction": "Half an idea", "note": "but why"},
    )

    seen = response.content.decode()
    assert "Choose the reason" in seen
    assert "Half an idea" in seen and "but why" in seen


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"note": "x" * 4001}, "Note: Ensure this value has at most 4000"),
        ({"instruction": "y" * 4001}, "Accept with this text: Ensure this value"),
        ({"decision": "perhaps"}, "Decision: Select a valid choice"),
    ],
)
def test_what_cannot_be_saved_is_named_and_kept(
    wrong: dict[str, str], said: str, boss: Client
):
    task = dispute()
    written = {"decision": "accept", "instruction": "My words", "note": "why"} | wrong

    response = boss.post(f"/review/disputes/{task.pk}/", written)

    assert response.status_code == 422 and said in response.text
    assert written["instruction"] in response.text and written["note"] in response.text
    assert 'rows="3" maxlength="4000"' in response.text


def test_who_comes_second_keeps_the_text(boss: Client):
    task = dispute()
    Task.objects.filter(pk=task.pk).update(status="accepted")

    response = boss.post(
        f"/review/disputes/{task.pk}/",
        {"decision": "accept", "instruction": "My careful words"},
    )

    assert response.status_code == 409
    assert "My careful words" in response.content.decode()


def test_the_last_adjudication_is_taken_back_from_the_list(boss: Client):
    task = dispute()
    boss.post(
        f"/review/disputes/{task.pk}/",
        {"decision": "accept", "instruction": task.instruction},
    )
    last = boss.get("/review/disputes/").context["last_review"]

    response = boss.post(f"/review/{last.pk}/undo/", {"from": "disputes"})

    task.refresh_from_db()
    assert task.status == "disputed"
    assert response.headers["Location"] == "/review/disputes/"


def test_annotators_do_not_end_disputes():
    task = dispute()
    client = Client()
    client.force_login(UserFactory(roles=["annotator"]))

    assert client.get("/review/disputes/").status_code == 403
    assert client.get(f"/review/disputes/{task.pk}/").status_code == 403


def test_home_tells_researchers_of_disputes(boss: Client):
    assert "reviewers disagree" not in boss.get("/").content.decode()
    dispute()

    assert "1 task whose reviewers disagree" in boss.get("/").content.decode()


def test_agreement_counts_what_several_people_decided(boss: Client):
    task = dispute()
    other = EvolvedTaskFactory(born_in=task.born_in)
    decide(other, "ada")
    decide(other, "bo")
    decide(EvolvedTaskFactory(born_in=task.born_in), "ada")

    context = boss.get("/review/agreement/").context

    assert (context["percent"].value, context["percent"].n) == (0.5, 2)
    assert context["decisions"] == 4
    assert [row.counts for row in context["matrix"]] == [
        [(1, True), (1, False)],
        [(0, False), (0, True)],
    ]


def test_an_edit_can_count_as_a_third_answer(boss: Client):
    task = EvolvedTaskFactory(born_in=review_phase())
    decide(task, "ada", decision="edit", edited_instruction="Buy two mugs")
    decide(task, "bo")

    assert boss.get("/review/agreement/").context["percent"].value == 1
    apart = boss.get("/review/agreement/?labels=decision").context
    assert apart["percent"].value == 0
    assert apart["columns"] == ["Accept", "Edit and accept", "Reject"]


def test_agreement_says_so_when_nothing_is_shared(boss: Client):
    seen = boss.get("/review/agreement/?phase=nonsense&pair=x").content.decode()

    assert "No task has been decided by two people yet" in seen


@pytest.mark.parametrize("url", ["/review/disputes/", "/review/agreement/"])
def test_pages_ask_as_often_for_many_as_for_few(
    url: str, boss: Client, count_queries: CountQueries
):
    dispute()
    few = count_queries(boss, url)
    for n in range(5):
        task = dispute(f"Buy {n} cups")
        decide(task, f"person-{n}")

    assert count_queries(boss, url) == few <= 7
