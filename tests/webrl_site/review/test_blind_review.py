from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum import services
from curriculum.errors import LeaseLost, ReviewError
from curriculum.models import FirstLook, Flag, Review, Task
from tests.factories import (
    EvolvedTaskFactory,
    ReviewFactory,
    UserFactory,
    review_phase,
)

pytestmark = pytest.mark.django_db
ACCEPT = services.Decision("accept")


@pytest.fixture
def task() -> Task:
    phase = review_phase(blind_first=True)
    return EvolvedTaskFactory(
        born_in=phase, value_estimate=0.4321, feasibility_reason="There is a mug"
    )


@pytest.fixture
def desk(ann: Any) -> Client:
    client = Client()
    client.force_login(ann)
    return client


def send(desk: Client, decision: str, **fields: Any) -> Any:
    held = Task.objects.get(leased_by__isnull=False)
    data = {
        "task_id": held.pk,
        "token": held.lease_token,
        "decision": decision,
        "instruction": held.instruction,
        **fields,
    }
    return desk.post("/review/decide/", data)


def test_the_opinion_is_hidden_at_first(desk: Client, task: Task):
    seen = desk.get("/review/").content.decode()

    assert "0.43" not in seen and "There is a mug" not in seen
    assert f'href="/curriculum/{task.pk}/"' not in seen
    assert "Hidden until your first decision" in seen


def test_what_others_wrote_is_hidden_from_a_blind_look(task: Task):
    Flag.objects.create(task=task, author=UserFactory(), note="is this legal?")
    desk = Client()
    desk.force_login(UserFactory(roles=["researcher"]))

    assert "is this legal?" not in desk.get("/review/").content.decode()
    send(desk, "accept")
    assert "is this legal?" in desk.get("/review/").content.decode()


def test_undo_is_not_offered_between_the_looks(desk: Client, task: Task, ann: Any):
    ReviewFactory(reviewer=ann, task=EvolvedTaskFactory(born_in=task.born_in))
    assert desk.get("/review/").context["last_review"]

    assert send(desk, "accept").context["last_review"] is None
    send(desk, "accept")
    assert desk.get("/review/").context["last_review"].task == task


def test_an_emptied_instruction_is_no_first_look(desk: Client, task: Task):
    desk.get("/review/")

    assert "The instruction is empty" in send(desk, "accept", instruction="").text
    assert not FirstLook.objects.exists()


def test_the_first_decision_shows_it_and_decides_nothing(desk: Client, task: Task):
    desk.get("/review/")

    seen = send(desk, "reject", reason="ambiguous", note="how many?").content.decode()

    assert "0.43" in seen and "There is a mug" in seen
    assert "Keep: reject" in seen and "how many?" in seen
    assert not Review.objects.exists()


def test_the_second_decision_counts_and_the_first_is_kept(desk: Client, task: Task):
    desk.get("/review/")
    send(desk, "reject", reason="ambiguous")

    send(desk, "accept")

    review = Review.objects.get()
    assert (review.first_decision, review.decision) == ("reject", "accept")


def test_looking_again_does_not_hide_what_was_seen(desk: Client, task: Task):
    desk.get("/review/")
    send(desk, "accept")

    seen = desk.get("/review/").content.decode()

    assert "0.43" in seen and "Keep: accept" in seen
    send(desk, "reject", reason="ambiguous")
    assert FirstLook.objects.get().decision == "accept"


def test_a_skip_needs_no_first_decision(desk: Client, task: Task):
    desk.get("/review/")
    send(desk, "skip")

    assert Review.objects.get().decision == "skip"
    assert not FirstLook.objects.exists()


def test_a_rejection_without_a_reason_shows_nothing_yet(desk: Client, task: Task):
    desk.get("/review/")

    seen = send(desk, "reject").content.decode()

    assert "Choose the reason" in seen and "0.43" not in seen


def test_the_service_refuses_who_skips_the_first_look(ann: Any, task: Task):
    held = services.claim_review(reviewer=ann)
    assert held is not None
    claim = {"task_id": task.pk, "token": held.lease_token, "reviewer": ann}

    with pytest.raises(ReviewError, match="before you see"):
        services.decide_review(**claim, decision=ACCEPT)
    assert services.take_first_look(**claim, decision=ACCEPT)
    assert not services.take_first_look(**claim, decision=ACCEPT)
    services.decide_review(**claim, decision=ACCEPT)


def test_a_lost_lease_shows_nothing(ann: Any, task: Task):
    with pytest.raises(LeaseLost):
        services.take_first_look(
            task_id=task.pk, token="old", reviewer=ann, decision=ACCEPT
        )


def test_other_runs_show_the_opinion_at_once(desk: Client):
    EvolvedTaskFactory(value_estimate=0.4321)

    assert "0.43" in desk.get("/review/").content.decode()
    send(desk, "accept")
    assert Review.objects.get().first_decision == ""


def test_agreement_tells_how_many_turned_round(desk: Client):
    ReviewFactory(decision="accept", first_decision="edit")
    ReviewFactory(decision="accept", first_decision="reject")
    ReviewFactory(decision="reject", reason="harmful", first_decision="reject")
    ReviewFactory(decision="accept")

    response = desk.get("/review/agreement/")
    changes, seen = response.context["changes"], response.content.decode()

    assert (changes.successes, changes.n) == (1, 3)
    # Its card is one of the stack that keeps a gap between them.
    assert seen.index('<div class="stack">') < seen.index("were reversed once")
