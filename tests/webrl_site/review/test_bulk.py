from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum import services
from curriculum.models import Phase, Review, Task
from tests.factories import EvolvedTaskFactory, PhaseFactory, UserFactory
from tests.webrl_site.conftest import CountQueries

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks() -> list[Task]:
    phase = PhaseFactory(status=Phase.Status.REVIEW)
    return [
        EvolvedTaskFactory(born_in=phase, value_estimate=value)
        for value in (0.1, 0.2, 0.6)
    ]


def send(boss: Client, tasks: list[Task], **fields: Any) -> Any:
    data = {"task_ids": [task.pk for task in tasks], "decision": "accept", **fields}
    return boss.post("/review/bulk/", data)


def test_the_filter_says_what_is_listed(boss: Client, tasks: list[Task]):
    context = boss.get("/review/bulk/?value_to=0.3").context

    assert [row.pk for row in context["rows"]] == [tasks[1].pk, tasks[0].pk]
    assert context["count"] == 2


def test_the_first_step_shows_exactly_which_and_decides_nothing(
    boss: Client, tasks: list[Task]
):
    response = send(boss, tasks[:2], decision="reject", reason="harmful")

    seen = response.content.decode()
    assert "Reject 2 tasks?" in seen and "Reason: Harmful" in seen
    assert tasks[0].instruction in seen and tasks[2].instruction not in seen
    assert not Review.objects.exists()


def test_the_second_step_decides_and_offers_to_take_all_back(
    boss: Client, tasks: list[Task]
):
    response = send(boss, tasks[:2], sure="yes")
    assert response.status_code == 302
    page = boss.get("/review/bulk/")
    assert "2 accepted." in page.content.decode()
    assert "Undo all 2" in page.content.decode()

    boss.post(f"/review/bulk/{page.context['batch'].pk}/undo/")

    assert Task.objects.filter(status="shortlisted").count() == 3
    assert boss.get("/review/bulk/").context["batch"] is None


def test_a_rejection_without_a_reason_keeps_the_ticks(boss: Client, tasks: list[Task]):
    response = send(boss, tasks[:2], decision="reject", note="all alike")

    seen = response.content.decode()
    assert "Choose the reason" in seen and "all alike" in seen
    assert seen.count(" checked") == 2


def test_a_lease_of_somebody_else_shows_and_is_left_alone(
    boss: Client, tasks: list[Task]
):
    ann = UserFactory(username="ann", roles=["annotator"])
    held = services.claim_review(reviewer=ann)
    seen = boss.get("/review/bulk/").content.decode()
    assert "with ann" in seen and "1 with other reviewers" in seen
    assert "1 of them is with other reviewers" in send(boss, tasks).content.decode()

    seen = boss.get(send(boss, tasks, sure="yes").headers["Location"]).content.decode()

    assert "2 accepted. 1 left out" in seen
    assert held is not None
    held.refresh_from_db()
    assert held.status == "shortlisted"


def test_it_says_when_a_phase_would_go_on(boss: Client, tasks: list[Task]):
    assert "continues at once" in send(boss, tasks).content.decode()
    assert "continues at once" not in send(boss, tasks[:2]).content.decode()


def test_a_phase_in_which_somebody_holds_a_task_does_not_end(
    boss: Client, tasks: list[Task]
):
    assert services.claim_review(reviewer=UserFactory(roles=["annotator"]))

    seen = send(boss, tasks).content.decode()

    assert "1 of them is with other reviewers" in seen
    assert "continues at once" not in seen


def test_back_keeps_what_was_ticked_and_typed(boss: Client, tasks: list[Task]):
    given = {"decision": "reject", "reason": "harmful", "note": "all alike"}
    assert 'name="back"' in send(boss, tasks[:2], **given).content.decode()

    seen = send(boss, tasks[:2], **given, back="yes").content.decode()

    assert seen.count(" checked") == 2
    assert 'value="harmful" selected' in seen and "all alike" in seen
    assert "Nothing was decided" not in seen
    assert not Review.objects.exists()


@pytest.mark.parametrize("ids", [["x", "-1"], ["9" * 30], []])
def test_nonsense_decides_nothing(boss: Client, tasks: list[Task], ids: list[str]):
    data = {"task_ids": ids, "decision": "accept", "sure": "yes"}

    assert boss.post("/review/bulk/", data).status_code in (200, 302)
    assert not Review.objects.exists()


def test_annotators_do_not(tasks: list[Task]):
    client = Client()
    client.force_login(UserFactory(roles=["annotator"]))

    assert client.get("/review/bulk/").status_code == 403
    assert send(client, tasks, sure="yes").status_code == 403


def test_many_rows_ask_as_often_as_few(
    boss: Client, tasks: list[Task], count_queries: CountQueries
):
    few = count_queries(boss, "/review/bulk/")
    EvolvedTaskFactory.create_batch(6)

    assert count_queries(boss, "/review/bulk/") == few <= 10
