from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from curriculum import services
from curriculum.models import Review, Task
from curriculum.selectors.reviewing import desk as desk_selectors
from curriculum.selectors.reviewing import desk_progress, guidelines
from curriculum.selectors.reviewing.desk_progress import list_reviewing_phases
from curriculum.services.reviewing.review_lease import NO_LEASE
from rollouts.models import Trajectory
from tests.factories import PhaseFactory, UserFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn


def open_desk(client: Client) -> Task:
    task = client.get("/review/").context["task"]
    assert isinstance(task, Task)
    return task


def decide(client: Client, task: Task, decision: str, **fields: Any) -> Any:
    data = {
        "task_id": task.pk,
        "token": task.lease_token,
        "decision": decision,
        "instruction": task.instruction,
        **fields,
    }
    return client.post("/review/decide/", data)


def test_accepting_goes_to_the_next_task(desk: Client):
    task = open_desk(desk)

    response = decide(desk, task, "accept", seconds_spent="4.5")

    assert response.status_code == 302
    assert open_desk(desk) != task
    review = Review.objects.get(task=task)
    assert (review.decision, review.seconds_spent) == ("accept", 4.5)
    task.refresh_from_db()
    assert task.status == "accepted"


def test_a_changed_text_is_an_edit_even_without_scripts(desk: Client):
    task = open_desk(desk)

    decide(desk, task, "accept", instruction="Add two mugs to the cart.")

    review = Review.objects.get(task=task)
    assert review.decision == "edit"
    assert review.edited_instruction == "Add two mugs to the cart."


def test_a_text_that_only_gained_a_line_break_is_not_an_edit(desk: Client):
    task = open_desk(desk)

    decide(desk, task, "accept", instruction=f" {task.instruction}\r\n")

    assert Review.objects.get(task=task).decision == "accept"


@pytest.mark.parametrize("emptied", ["", " \r\n "])
def test_an_emptied_instruction_is_not_accepted(desk: Client, emptied: str):
    task = open_desk(desk)

    seen = decide(desk, task, "accept", instruction=emptied).content.decode()

    assert "The instruction is empty; write one or restore the original" in seen
    assert not Review.objects.filter(task=task).exists()


def test_a_task_with_an_emptied_instruction_can_be_rejected(desk: Client):
    task = open_desk(desk)

    decide(desk, task, "reject", instruction="", reason="ambiguous")

    assert Review.objects.get(task=task).decision == "reject"


def test_rejecting_writes_the_reason(desk: Client):
    task = open_desk(desk)

    decide(desk, task, "reject", reason="duplicate", note="same as #3")

    review = Review.objects.get(task=task)
    assert (review.reason, review.note) == ("duplicate", "same as #3")


def test_rejecting_without_a_reason_keeps_everything_typed(desk: Client):
    task = open_desk(desk)

    response = decide(desk, task, "reject", instruction="Half an idea", note="but why")

    assert response.status_code == 200
    seen = response.content.decode()
    assert "Half an idea" in seen and "but why" in seen
    assert "Choose the reason" in seen
    assert not Review.objects.filter(task=task).exists()


def test_a_lost_lease_keeps_the_text_and_says_so(desk: Client):
    task = open_desk(desk)
    Task.objects.filter(pk=task.pk).update(lease_token="somebody-else")

    response = decide(desk, task, "accept", instruction="My careful new wording")

    assert response.status_code == 409
    seen = response.content.decode()
    assert "My careful new wording" in seen
    assert "gone to someone else" in seen
    assert "Your text is kept" in seen
    assert not Review.objects.filter(task=task).exists()


def test_a_task_that_one_decided_in_another_tab_says_so(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "accept")

    response = decide(desk, task, "accept", instruction="My careful new wording")

    assert response.status_code == 409
    seen = response.content.decode()
    assert "You have already decided this (Accept), in another window." in seen
    assert "My careful new wording" in seen
    assert "autofocus" in seen


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("accept", "Someone else has since accepted it."),
        ("reject", "Someone else has since rejected it."),
    ],
)
def test_a_task_that_one_left_and_somebody_else_decided_says_both(
    desk: Client, decision: str, said: str
):
    task = open_desk(desk)
    decide(desk, task, "others", note="not my site")
    other = Client()
    other.force_login(UserFactory(roles=["annotator"]))
    assert open_desk(other) == task
    task.refresh_from_db()
    decide(other, task, decision, reason="harmful")

    seen = decide(desk, task, "accept").content.decode()

    assert "You have already decided this (Leave to others)" in seen
    assert said in seen


def test_an_accepted_task_says_that_the_reason_was_left_out(desk: Client):
    task = open_desk(desk)
    data = {"task_id": task.pk, "token": task.lease_token, "reason": "ambiguous"}

    shown = desk.post(
        "/review/decide/", data | {"decision": "accept"}, headers={"HX-Request": "true"}
    )

    said = "Accepted; the reason for a rejection was left out"
    assert shown.context["done"] == said


def test_two_people_never_see_the_same_task(desk: Client, example: Example):
    other = Client()
    other.force_login(UserFactory(roles=["annotator"]))

    assert open_desk(desk) != open_desk(other)


def test_the_heartbeat_says_whether_the_lease_holds(desk: Client):
    task = open_desk(desk)
    beat = {"task_id": task.pk, "token": task.lease_token}

    held = desk.post("/review/renew/", beat)
    lost = desk.post("/review/renew/", beat | {"token": "old"})

    assert held.json() == {"is_lost": False, "message": ""}
    # Not an error status: a browser would log one in the console.
    assert lost.status_code == 200
    assert lost.json()["is_lost"]
    assert "no longer" in lost.json()["message"]


def test_undo_takes_the_last_decision_back(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "accept")
    last = desk.get("/review/").context["last_review"]
    assert last.task == task

    desk.post(f"/review/{last.pk}/undo/")

    task.refresh_from_db()
    assert task.status == "shortlisted"


def test_nobody_undoes_what_another_decided(desk: Client, sign_in: SignIn):
    task = open_desk(desk)
    decide(desk, task, "accept")
    review = Review.objects.get(task=task)

    response = sign_in("researcher").post(f"/review/{review.pk}/undo/", follow=True)

    assert "Only your own decisions" in response.content.decode()


def test_htmx_gets_the_next_task_at_once(desk: Client):
    task = open_desk(desk)
    data = {"task_id": task.pk, "token": task.lease_token, "decision": "skip"}

    response = desk.post("/review/decide/", data, headers={"HX-Request": "true"})

    assert response.status_code == 200
    assert "<html" not in response.content.decode()
    assert response.context["task"] != task


@pytest.fixture
def kept_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for a second is kept however slow the machine is."""
    for module in (desk_selectors, desk_progress):
        monkeypatch.setattr(module, "COUNT_S", 600)
    monkeypatch.setattr(guidelines, "NEWEST_S", 600)


@pytest.mark.usefixtures("kept_counts")
def test_a_decision_brings_the_next_task_in_few_questions(desk: Client):
    for _ in range(2):
        task = open_desk(desk)
        desk.get("/review/warm/")
        data = {"task_id": task.pk, "token": task.lease_token, "decision": "accept"}
        with CaptureQueriesContext(connection) as asked:
            desk.post("/review/decide/", data, headers={"HX-Request": "true"})
    texts = [one["sql"] for one in asked if "SAVEPOINT" not in one["sql"]]
    assert len(texts) == 19, "\n".join(t[:150] for t in texts)


def test_the_desk_shows_parent_failure_value_and_reason(desk: Client):
    response = desk.get("/review/")
    task = response.context["task"]
    seen = response.content.decode()

    episode = response.context["failed_episode"]
    assert episode.task_id == task.parent_id
    assert not episode.reward
    assert f"/trajectories/{episode.pk}/" in seen
    assert task.feasibility_reason in seen
    assert f"{task.value_estimate:.2f}" in seen
    assert response.context["similar"]


def test_an_empty_desk_says_so(desk: Client):
    Task.objects.filter(status="shortlisted").update(status="filtered")

    assert "Nothing to review" in desk.get("/review/").content.decode()


def test_an_empty_desk_says_which_phase_is_evolving(desk: Client, example: Example):
    phase = PhaseFactory(status="evolving")
    Task.objects.filter(status="shortlisted").update(status="filtered")

    seen = desk.get("/review/").content.decode()

    assert f"{phase} is evolving its tasks now." in seen


def test_ten_decisions_count_as_progress(desk: Client, example: Example):
    before = desk.get("/review/").context["progress"]
    for _ in range(10):
        decide(desk, open_desk(desk), "accept")

    after = desk.get("/review/").context["progress"]

    assert after.decided == before.decided + 10
    assert after.waiting == before.waiting - 10
    assert services.claim_review(reviewer=example.annotator) is not None


def test_warming_the_next_task_reserves_nothing(desk: Client, example: Example):
    task = open_desk(desk)

    assert desk.get("/review/warm/").status_code == 204

    held = Task.objects.exclude(lease_token="")
    assert [one.pk for one in held] == [task.pk]


def test_a_warm_task_is_shown_with_fewer_questions(
    desk: Client, count_queries: CountQueries
):
    open_desk(desk)
    cache.clear()
    # Kept as well, but for other reasons.
    list_reviewing_phases()
    cold = count_queries(desk, "/review/")
    cache.clear()
    desk.get("/review/warm/")
    Task.objects.exclude(lease_token="").update(status="filtered", **NO_LEASE)

    # Claiming asks a little more than showing again what is held.
    assert count_queries(desk, "/review/") <= cold + 4
    assert count_queries(desk, "/review/") == cold - 4


def test_warming_an_empty_queue_does_nothing(desk: Client):
    Task.objects.filter(status="shortlisted").update(status="filtered")

    assert desk.get("/review/warm/").status_code == 204


def test_a_task_of_the_sandbox_can_be_tried_from_the_desk(desk: Client):
    task = open_desk(desk)

    seen = desk.get("/review/").content.decode()

    assert f'action="/curriculum/{task.pk}/try/" target="_blank"' in seen


def test_the_desk_says_who_calls_the_parents_episode_a_failure(desk: Client):
    episode = desk.get("/review/").context["failed_episode"]
    cache.clear()
    Trajectory.objects.filter(pk=episode.pk).update(outcome=True, reward=0)

    seen = desk.get("/review/").content.decode()

    assert "reward model says that it failed; the evaluators say" in seen


def test_the_desk_says_nothing_more_of_an_episode_that_all_call_a_failure(
    desk: Client,
):
    episode = desk.get("/review/").context["failed_episode"]
    cache.clear()
    Trajectory.objects.filter(pk=episode.pk).update(outcome=False, reward=0)

    assert "the evaluators say" not in desk.get("/review/").content.decode()


def test_the_desk_shows_a_failure_that_evaluators_alone_call_one(desk: Client):
    episode = desk.get("/review/").context["failed_episode"]
    cache.clear()
    Trajectory.objects.filter(task=episode.task_id).update(outcome=False, reward=1)

    assert desk.get("/review/").context["failed_episode"] is not None


def test_the_desk_shows_no_success_as_the_parents_failure(desk: Client):
    episode = desk.get("/review/").context["failed_episode"]
    cache.clear()
    Trajectory.objects.filter(task=episode.task_id).update(outcome=True, reward=1)

    assert desk.get("/review/").context["failed_episode"] is None
