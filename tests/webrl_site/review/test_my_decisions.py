from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curriculum import services
from curriculum.models import Phase, Review
from tests.factories import (
    EvolvedTaskFactory,
    PhaseFactory,
    ReviewFactory,
    UserFactory,
    review_phase,
)
from tests.webrl_site.conftest import CountQueries

pytestmark = pytest.mark.django_db
LIST = "/review/progress/decisions/"


@pytest.fixture
def client(ann: Any) -> Client:
    client = Client()
    client.force_login(ann)
    return client


def decide(person: Any, **fields: Any) -> Review:
    task = EvolvedTaskFactory(status="accepted", born_in=review_phase())
    row: Review = ReviewFactory(task=task, reviewer=person, **fields)
    return row


def read(client: Client, url: str = LIST) -> str:
    return client.get(url).content.decode()


def test_a_decision_is_shown_with_its_reason_and_note(client: Client, ann: Any):
    decide(ann, decision="reject", reason="harmful", note="It buys <b>wine</b>.")

    seen = read(client)

    assert "Harmful" in seen
    assert "It buys &lt;b&gt;wine&lt;/b&gt;." in seen


def test_an_edit_is_shown_with_what_was_changed(client: Client, ann: Any):
    decide(
        ann,
        decision="edit",
        original_instruction="Buy a mug",
        edited_instruction="Buy two mug",
    )

    assert "Buy <del>a</del><ins>two</ins> mug" in read(client)


def test_the_desk_and_the_progress_page_lead_there(client: Client):
    for url in ("/review/", "/review/progress/"):
        assert f'href="{LIST}"' in read(client, url)


def test_undoing_opens_the_task_at_the_desk_with_what_was_entered(
    client: Client, ann: Any
):
    task = EvolvedTaskFactory(born_in=review_phase())
    held = services.take_next(reviewer=ann)
    assert held is not None
    review = services.decide_review(
        task_id=task.pk,
        token=held.token,
        reviewer=ann,
        decision=services.Decision("reject", reason="harmful", note="wine"),
    )

    shown = client.post(f"/review/{review.pk}/undo/", {"from": "decisions"})

    assert shown.context["task"] == task
    assert (shown.context["reason"], shown.context["note"]) == ("harmful", "wine")


def test_an_undo_that_is_refused_goes_back_to_the_list(client: Client, ann: Any):
    closed = PhaseFactory(status=Phase.Status.CLOSED)
    review = ReviewFactory(task=EvolvedTaskFactory(born_in=closed), reviewer=ann)

    answer = client.post(
        f"/review/{review.pk}/undo/", {"from": "decisions"}, follow=True
    )

    assert answer.redirect_chain[0][0] == LIST
    assert "The phase has moved on" in answer.content.decode()


def test_what_can_no_longer_be_undone_has_no_button(client: Client, ann: Any):
    closed = PhaseFactory(status=Phase.Status.CLOSED)
    ReviewFactory(task=EvolvedTaskFactory(born_in=closed), reviewer=ann)

    seen = read(client)

    assert "no longer: its review is over" in seen
    assert "/undo/" not in seen


def test_a_gold_item_is_not_named(client: Client, ann: Any):
    decide(ann, kind="gold")

    assert "gold" not in read(client).lower().replace("gold items", "")


def test_the_file_holds_what_the_list_shows(client: Client, ann: Any):
    decide(ann, note="wine")
    decide(ann)
    decide(UserFactory(), note="wine")
    seen = read(client, f"{LIST}?text=wine")
    link = "/api/exports/reviews/?format=jsonl&amp;text=wine&amp;reviewer=ann"
    assert link in seen

    answer = client.get(link.replace("&amp;", "&"))

    assert b"".join(answer).count(b"\n") == 1


def test_an_empty_list_leads_to_the_desk_or_clears_the_filters(client: Client):
    assert "You have not decided anything yet" in read(client)
    assert "No matching decisions" in read(client, f"{LIST}?text=wine")


def test_many_decisions_ask_as_often_as_few(
    client: Client, ann: Any, count_queries: CountQueries
):
    decide(ann)
    few = count_queries(client, LIST)
    for _ in range(60):
        decide(ann)

    assert count_queries(client, LIST) == few <= 16


def test_older_decisions_are_a_page_further(client: Client, ann: Any):
    first = decide(ann, note="the very first")
    for _ in range(50):
        decide(ann)

    newest = client.get(LIST)
    before = newest.context["page"].before

    assert "the very first" not in newest.content.decode()
    assert list(client.get(f"{LIST}?before={before}").context["page"]) == [first]


def test_the_team_page_leads_to_each_persons_decisions(ann: Any, researcher: Client):
    decide(ann, decision="reject", reason="harmful", note="wine")
    decide(UserFactory(username="bob"), note="beer")
    theirs = f"/review/team/{ann.pk}/"

    seen = read(researcher, theirs)

    assert f'href="{theirs}"' in read(researcher, "/review/team/")
    assert "Decisions of ann" in seen
    assert "wine" in seen
    assert "beer" not in seen
    assert "reviewer=ann" in seen


def test_another_persons_decisions_cannot_be_undone_there(ann: Any, researcher: Client):
    undone = decide(ann, undone_at=timezone.now())
    decide(ann, kind=Review.Kind.GOLD)

    seen = read(researcher, f"/review/team/{ann.pk}/")

    assert f"/review/{undone.pk}/undo/" not in seen
    assert '<span class="badge">undone</span>' in seen
    assert ">Gold item</span>" in seen


def test_only_researchers_read_another_persons_decisions(client: Client):
    other = UserFactory(username="bob")
    assert client.get(f"/review/team/{other.pk}/").status_code == 403


def test_nobodys_decisions_are_not_found(researcher: Client):
    assert researcher.get("/review/team/999/").status_code == 404
