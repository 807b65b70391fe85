from __future__ import annotations

from typing import Any

from django.test import Client

from curriculum.models import Flag, Review, Task
from tests.webrl_site.conftest import SignIn
from tests.webrl_site.review.test_review import decide, open_desk


def flag(desk: Client, **fields: Any) -> Task:
    task = open_desk(desk)
    decide(desk, task, "flag", **fields)
    return task


def test_flagging_stays_with_the_task_and_keeps_the_text(desk: Client):
    task = open_desk(desk)

    response = decide(
        desk, task, "flag", note="is this legal?", instruction="Half an idea"
    )

    seen = response.content.decode()
    assert "Flagged; a researcher will look at it." in seen
    assert "You flagged this: is this legal?" in seen
    assert "Half an idea" in seen
    assert open_desk(desk) == task
    assert not Review.objects.filter(task=task).exists()


def test_a_flag_can_be_withdrawn_with_its_note_and_the_text_kept(desk: Client):
    task = flag(desk, note="is this legal?")

    shown = decide(desk, task, "unflag", instruction="Half an idea")

    assert shown.context["done"] == "The flag is withdrawn"
    assert shown.context["note"] == "is this legal?"
    assert "Half an idea" in shown.content.decode()
    assert "You flagged this" not in shown.content.decode()
    assert not Flag.objects.filter(settled_at=None).exists()


def test_undo_withdraws_a_flag_only_right_after_it(desk: Client):
    task = open_desk(desk)
    button = 'value="unflag" data-undo'

    assert button in decide(desk, task, "flag", note="hm").content.decode()
    assert button not in desk.get("/review/").content.decode()


def test_a_flag_that_a_researcher_settled_meanwhile_cannot_be_withdrawn(desk: Client):
    task = flag(desk, note="is this legal?")
    Flag.objects.update(settled_at="2026-01-01T00:00Z")

    seen = decide(desk, task, "unflag").content.decode()

    assert "You no longer have a flag on this task." in seen


def test_a_second_flag_says_that_it_replaces_the_first(desk: Client):
    task = flag(desk, note="hm")

    seen = decide(desk, task, "flag", note="is this legal?").content.decode()

    assert "Flagged; this note replaces your earlier one." in seen
    assert "You flagged this: is this legal?" in seen


def test_a_flags_note_is_not_sent_again_with_the_decision(desk: Client):
    task = open_desk(desk)

    seen = decide(desk, task, "flag", note="is this legal?").content.decode()

    assert '<textarea id="id_note" name="note" rows="2"></textarea>' in seen


def test_a_flag_without_a_note_says_what_is_missing(desk: Client):
    task = open_desk(desk)

    seen = decide(desk, task, "flag").content.decode()

    assert "Write in the note" in seen
    assert not Flag.objects.exists()


def test_flagged_tasks_are_a_filter_and_stand_on_the_home_page(
    desk: Client, sign_in: SignIn
):
    researcher = sign_in("researcher")
    assert "flagged for a researcher" not in researcher.get("/").content.decode()
    task = flag(desk, note="is this legal?")

    assert "1 task flagged for a researcher" in researcher.get("/").content.decode()
    page = researcher.get("/curriculum/?flagged=yes").context["page"]
    assert [row.pk for row in page] == [task.pk]
    assert "flagged for" not in desk.get("/").content.decode()


def test_a_researcher_settles_a_flag_on_the_tasks_page(desk: Client, sign_in: SignIn):
    task = flag(desk, note="is this legal?")
    standing = Flag.objects.get()
    url = f"/review/flags/{standing.pk}/settle/"
    assert desk.post(url).status_code == 403
    researcher = sign_in("researcher")
    assert (
        "is this legal?" in researcher.get(f"/curriculum/{task.pk}/").content.decode()
    )

    response = researcher.post(url, follow=True)

    assert "is this legal?" not in response.content.decode()


def test_leaving_a_task_to_others_needs_a_note_and_keeps_the_rest(desk: Client):
    task = open_desk(desk)

    seen = decide(desk, task, "others", instruction="Half an idea").content.decode()

    assert "why you leave this task" in seen and "Half an idea" in seen


def test_what_was_left_to_others_is_offered_back_on_an_empty_desk(desk: Client):
    task = open_desk(desk)
    decide(desk, task, "drop", note="not my site")
    Task.objects.filter(status="shortlisted").exclude(pk=task.pk).update(
        status="filtered"
    )
    assert "You left 1 to others" in desk.get("/review/").content.decode()

    desk.post("/review/take-back/")

    assert open_desk(desk) == task


def test_a_researcher_reads_at_the_desk_why_others_passed_a_task_on(
    desk: Client, sign_in: SignIn
):
    task = open_desk(desk)
    decide(desk, task, "flag", note="is this legal?")
    decide(desk, task, "others", note="not my site")

    researcher = sign_in("researcher")
    assert open_desk(researcher) == task
    seen = researcher.get("/review/").content.decode()

    assert "annotator flagged this: is this legal?" in seen
    assert "annotator left this to others: not my site" in seen


def test_an_annotator_does_not_read_what_others_wrote(desk: Client, sign_in: SignIn):
    researcher = sign_in("researcher")
    task = open_desk(researcher)
    decide(researcher, task, "others", note="not my site")

    assert open_desk(desk) == task
    assert "not my site" not in desk.get("/review/").content.decode()


def test_a_task_that_was_deleted_meanwhile_gets_no_flag(desk: Client):
    sent = {"task_id": 987_654, "token": "x", "decision": "flag", "note": "look"}

    response = desk.post("/review/decide/", sent)

    assert response.status_code == 404
    assert not Flag.objects.filter(task_id=987_654).exists()
