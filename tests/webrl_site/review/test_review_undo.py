from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Review, Task
from curriculum.selectors.reviewing.own_decisions import find_last_review
from tests.factories import (
    EvolvedTaskFactory,
    ReviewFactory,
    UserFactory,
    review_phase,
)
from tests.webrl_site.conftest import SignIn
from tests.webrl_site.review.test_review import decide, open_desk


def undo_own(client: Client) -> Any:
    last = client.get("/review/").context["last_review"]
    return client.post(f"/review/{last.pk}/undo/", headers={"HX-Request": "true"})


def undo(client: Client) -> Any:
    last = Review.objects.filter(undone_at=None).latest("id")
    return client.post(f"/review/{last.pk}/undo/", headers={"HX-Request": "true"})


def test_undo_leads_to_the_task_that_was_taken_back(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "accept")
    next_one = open_desk(desk)

    shown = undo(desk)

    assert shown.context["task"] == task
    assert open_desk(desk) == task
    next_one.refresh_from_db()
    assert next_one.lease_token == ""


def test_the_task_that_was_taken_back_can_be_decided_at_once(desk: Client):
    decide(desk, open_desk(desk), "accept")
    task = undo(desk).context["task"]

    decide(desk, task, "reject", reason="harmful")

    standing = Review.objects.get(task=task, undone_at=None)
    assert standing.decision == "reject"


def test_undo_names_what_it_takes_back(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "accept", instruction="Add two mugs to the cart.")

    said = undo(desk).context["done"]

    assert said == "Undone: Edited and accepted “Add two mugs to the cart.”"


def test_undo_gives_an_edited_text_and_its_note_back(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "accept", instruction="Add two mugs.", note="one was odd")

    shown = undo(desk).context

    assert (shown["instruction"], shown["note"]) == ("Add two mugs.", "one was odd")
    assert shown["task"].instruction == task.instruction


def test_undo_gives_the_reason_of_a_rejection_back(desk: Client):
    decide(desk, open_desk(desk), "reject", reason="duplicate")

    seen = undo(desk).content.decode()

    assert 'value="duplicate" checked' in seen


def test_the_desk_of_a_phase_takes_back_only_what_was_decided_there(db: None):
    here, there = (EvolvedTaskFactory(born_in=review_phase()) for _ in range(2))
    ann = UserFactory(roles=["annotator"])
    ReviewFactory(task=here, reviewer=ann)
    desk = Client()
    desk.force_login(ann)

    elsewhere = desk.get(f"/review/?phase={there.born_in_id}").context

    assert elsewhere["last_review"] is None
    own = desk.get(f"/review/?phase={here.born_in_id}").context["last_review"]
    assert own.task == here


def test_the_desk_of_a_phase_takes_back_its_gold_items(db: None):
    here, there = review_phase(), review_phase()
    ann = UserFactory(roles=["annotator"])
    gold = ReviewFactory(kind="gold", reviewer=ann)
    assert find_last_review(ann, here.pk) == gold

    ReviewFactory(task=EvolvedTaskFactory(born_in=here), reviewer=ann)

    assert find_last_review(ann, there.pk) is None


def test_an_undone_skip_comes_back_at_once(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "skip")

    assert undo(desk).context["task"] == task


def test_undo_leaves_a_task_with_the_person_who_has_it_now(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "skip")
    other = UserFactory(roles=["annotator"])
    Task.objects.filter(pk=task.pk).update(
        lease_token="theirs", leased_by=other, leased_until="2999-01-01T00:00Z"
    )
    mine = open_desk(desk)

    shown = undo(desk)

    assert shown.context["task"] == mine
    assert "Undone: Skipped" in shown.context["done"]
    task.refresh_from_db()
    assert task.lease_token == "theirs"


def test_undoing_a_skip_says_that_somebody_else_decided_meanwhile(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "others", note="not my site")
    other = Client()
    other.force_login(UserFactory(roles=["annotator"]))
    left = open_desk(other)
    decide(other, left, "accept")

    shown = undo_own(desk)

    assert "Undone: Left to others" in shown.context["done"]
    assert "It has since been decided" in shown.context["done"]


def test_an_undone_edit_of_a_blind_review_keeps_its_words(db: None):
    EvolvedTaskFactory(born_in=review_phase(blind_first=True))
    desk = Client()
    desk.force_login(UserFactory(roles=["annotator"]))
    task = open_desk(desk)
    for _ in range(2):
        decide(desk, task, "accept", instruction="Add two mugs.")

    shown = undo(desk).context

    assert (shown["first"], shown["instruction"]) == ("edit", "Add two mugs.")


def test_nobody_undoes_what_never_was(desk: Client):
    assert desk.post("/review/999999/undo/").status_code == 404


@pytest.mark.parametrize(
    ("button", "said"),
    [
        ("skip", "Skipped"),
        ("others", "Left to others"),
        ("drop", "Removed from your queue"),
    ],
)
def test_the_desk_says_which_way_a_task_was_left(desk: Client, button: str, said: str):
    task = open_desk(desk)
    data = {"task_id": task.pk, "token": task.lease_token, "note": "not my site"}

    seen = desk.post(
        "/review/decide/", data | {"decision": button}, headers={"HX-Request": "true"}
    )

    assert seen.context["done"] == said


def test_the_history_says_that_a_task_was_left_to_others(desk: Client, sign_in: SignIn):
    task = open_desk(desk)
    decide(desk, task, "others", note="not my site")

    seen = sign_in("researcher").get(f"/curriculum/{task.pk}/").content.decode()

    assert ">Leave to others</span>" in seen
