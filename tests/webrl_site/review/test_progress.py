from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from curriculum.models import GoldItem, Review
from curriculum.selectors.reviewing.review_stats import Decided
from tests.factories import EvolvedTaskFactory, ReviewFactory, UserFactory
from tests.webrl_site.conftest import CountQueries
from webrl_site.review.progress import count_days, measure_times

pytestmark = pytest.mark.django_db
TODAY = dt.date(2026, 3, 31)


def row(
    seconds: float | None = None, decision: str = "accept", day: dt.date = TODAY
) -> Decided:
    return Decided(1, "ann", decision, seconds, day)


@pytest.mark.parametrize(
    ("seconds", "median", "p90"),
    [
        ([], None, None),
        ([8], 8, 8),
        ([4, 2], 3, 4),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 100], 5.5, 9),
        (list(range(1, 12)), 6, 10),
    ],
)
def test_times_by_hand(seconds: list[float], median: float, p90: float):
    times = measure_times([row(one) for one in seconds])

    assert (times.n, times.median, times.p90) == (len(seconds), median, p90)


def test_skips_and_decisions_without_a_time_are_left_out_of_times():
    assert measure_times([row(5), row(99, "skip"), row(None)]).n == 1


def test_thirty_days_are_counted_with_their_zeros():
    yesterday = TODAY - dt.timedelta(days=1)
    days = count_days([row(), row(), row(day=yesterday), row(decision="skip")], TODAY)

    assert len(days) == 30
    assert [day.count for day in days[-3:]] == [0, 1, 2]
    assert days[0].date == dt.date(2026, 3, 2)


def sign_in(name: str, role: str = "annotator") -> Client:
    client = Client()
    client.force_login(UserFactory(username=name, roles=[role]))
    return client


def decide(client: Client, count: int = 1, **fields: Any) -> list[Review]:
    reviewer = int(client.session["_auth_user_id"])
    return ReviewFactory.create_batch(count, reviewer_id=reviewer, **fields)


def test_ones_own_page_counts_what_stands_and_is_recent():
    ann, bob = sign_in("ann"), sign_in("bob")
    decide(ann, 2, seconds_spent=10)
    decide(ann, decision="skip", seconds_spent=500)
    decide(ann, undone_at=timezone.now())
    decide(ann, kind="adjudication")
    [old] = decide(ann)
    long_ago = timezone.now() - dt.timedelta(days=31)
    Review.objects.filter(pk=old.pk).update(created_at=long_ago)
    decide(bob, 5)

    context = ann.get("/review/progress/").context

    assert context["person"].decided == 2
    assert context["person"].times.median == 10
    assert context["today"] == 2


def test_an_empty_page_says_so():
    assert "Nothing decided in 30 days" in (
        sign_in("ann").get("/review/progress/").content.decode()
    )
    boss = sign_in("boss", "researcher")
    assert "Nobody has decided" in boss.get("/review/team/").content.decode()


def test_the_team_page_has_a_line_for_each_person():
    ann, bob = sign_in("ann"), sign_in("bob")
    decide(ann, 3, seconds_spent=8)
    decide(bob, decision="reject", reason="harmful", seconds_spent=80)
    task = EvolvedTaskFactory(status="accepted")
    GoldItem.objects.create(task=task, accepts=True)
    decide(bob, task=task, kind="gold")

    people = sign_in("boss", "researcher").get("/review/team/").context["people"]

    assert [(one.name, one.decided) for one in people] == [("ann", 3), ("bob", 2)]
    assert people[1].counts["reject"] == 1
    assert (people[1].gold.successes, people[1].gold.n) == (1, 1)
    assert people[0].gold.n == 0


def test_the_ways_to_skip_are_counted_apart_on_both_pages():
    ann = sign_in("ann", "researcher")
    decide(ann, 3, decision="skip", skip_to="last")
    decide(ann, 2, decision="skip", skip_to="others", note="not my site")
    decide(ann, decision="skip", skip_to="drop", note="I wrote this page")

    team, own = ann.get("/review/team/"), ann.get("/review/progress/")

    for counts in (team.context["people"][0].counts, own.context["person"].counts):
        assert counts == {"skip": 3, "others": 2, "drop": 1}
    said = "Skipped: 3 · Left to others: 2 · Not for me: 1"
    assert said in own.content.decode()
    assert own.context["person"].decided == 0


def test_only_researchers_see_the_team():
    assert sign_in("ann").get("/review/team/").status_code == 403


@pytest.mark.parametrize("url", ["/review/progress/", "/review/team/"])
def test_much_asks_as_often_as_little(url: str, count_queries: CountQueries):
    boss = sign_in("boss", "researcher")
    decide(boss)
    few = count_queries(boss, url)
    for name in ("ann", "bob", "cleo"):
        decide(sign_in(name), 4)

    assert count_queries(boss, url) == few <= 5


def test_the_desk_and_the_progress_page_count_the_same_today():
    ann = sign_in("ann")
    decide(ann)
    decide(ann, decision="skip")
    decide(ann, kind=Review.Kind.BULK)

    at_desk = ann.get("/review/").context["progress"].mine_today

    assert at_desk == ann.get("/review/progress/").context["today"] == 1
