"""Going on by hand: rows between a person's page and the worker with the browser."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from curriculum.errors import TakeoverError
from curriculum.models import Site, Task
from rollouts.models import Takeover, Trajectory
from rollouts.selectors.pages import count_by_purpose
from rollouts.services import (
    ask_action,
    attend_takeover,
    end_lost_takeovers,
    keep_demonstration,
    leave_takeover,
    let_demonstration_go,
    requeue_expired,
)
from rollouts.services.takeovers import read_wish
from tests.factories import SiteFactory, TaskFactory, TrajectoryFactory, UserFactory
from tests.rollouts.by_hand import FakeBrowser, make_source, take_over

pytestmark = pytest.mark.django_db
EXIT = 'exit(message="12")'
CLICK = 'do(action="Click", element="0")'


class Person:
    """Does one thing each time that the worker looks what is wanted."""

    def __init__(self, takeover: Takeover, *deeds: str) -> None:
        self.takeover, self.deeds = takeover, list(deeds)

    def look(self, original: Callable[..., Any], trajectory_id: int) -> Any:
        row = Takeover.objects.get(pk=self.takeover.pk)
        deed = self.deeds.pop(0) if self.deeds else "leave"
        if deed == "leave":
            leave_takeover(takeover_id=row.pk, author_id=row.author_id)
        elif deed == "fall asleep":
            late = timezone.now() - dt.timedelta(seconds=1)
            Takeover.objects.filter(pk=row.pk).update(deadline=late)
        else:
            ask_action(
                takeover_id=row.pk,
                author_id=row.author_id,
                number=row.steps_done,
                output=deed,
            )
        return original(trajectory_id=trajectory_id)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Trajectory]:
    def play_one(takeover: Takeover, *deeds: str, hand: FakeBrowser) -> Trajectory:
        person = Person(takeover, *deeds)
        monkeypatch.setattr(
            "rollouts.services.takeover_worker.read_wish",
            lambda *, trajectory_id: person.look(read_wish, trajectory_id),
        )
        assert attend(takeover, hand)
        return Trajectory.objects.get(pk=takeover.trajectory_id)

    return play_one


def attend(takeover: Takeover, hand: FakeBrowser) -> bool:
    return attend_takeover(
        trajectory_id=takeover.trajectory_id,
        owner="me",
        lease_s=3600,
        open_episode=lambda config: hand,
    )


def test_the_agents_steps_are_done_again_and_the_persons_recorded_after_them(
    play: Any,
) -> None:
    takeover = take_over(make_source(), number=3)
    row = play(takeover, CLICK, EXIT, hand=FakeBrowser())
    outputs = list(row.steps.order_by("index").values_list("output", flat=True))
    assert outputs[:2] == [
        'do(action="Click", element="0")',
        'do(action="Click", element="1")',
    ]
    assert outputs[2:] == [CLICK, EXIT]
    assert (row.status, row.ended_by, row.outcome) == ("finished", "exit", True)


def test_a_page_that_is_not_the_recorded_one_is_said_plainly(play: Any) -> None:
    source = make_source()
    source.steps.filter(index=1).update(observation="<html> another </html>")
    row = play(take_over(source), hand=FakeBrowser())
    assert row.status == "failed"
    assert "Step 2 could not be rebuilt" in row.failure_reason


def test_a_phase_hears_nothing_of_what_is_done_by_hand(play: Any) -> None:
    row = play(take_over(make_source()), CLICK, EXIT, hand=FakeBrowser())
    assert not row.phase.events.exists()
    assert count_by_purpose([row.phase_id]).keys() == {(row.phase_id, "collect")}


def test_who_leaves_has_an_attempt_without_a_verdict(play: Any) -> None:
    row = play(take_over(make_source()), CLICK, "leave", hand=FakeBrowser())
    assert (row.ended_by, row.outcome, row.step_count) == ("left", None, 3)


def test_who_falls_asleep_loses_the_browser(play: Any) -> None:
    hand = FakeBrowser()
    takeover = take_over(make_source())
    row = play(takeover, "fall asleep", hand=hand)
    takeover.refresh_from_db()
    assert row.ended_by == "left"
    assert hand.is_closed
    assert takeover.closed_at is not None


def test_a_site_that_breaks_ends_it_with_its_reason(play: Any) -> None:
    hand = FakeBrowser()
    hand.breaks_at = 2
    row = play(take_over(make_source()), CLICK, hand=hand)
    assert (row.status, row.failure_class) == ("failed", "site")
    assert row.failure_reason == "The shop is gone."


def test_the_page_shows_where_the_browser_is(play: Any) -> None:
    takeover = take_over(make_source())
    play(takeover, CLICK, "leave", hand=FakeBrowser())
    takeover.refresh_from_db()
    assert takeover.page["url"] == "/3"
    assert takeover.page["elements"][0]["text"] == "Cart"
    assert takeover.steps_done == 3


def test_one_worker_alone_gets_it(play: Any) -> None:
    takeover = take_over(make_source())
    play(takeover, "leave", hand=FakeBrowser())
    assert not attend(takeover, FakeBrowser())


def test_a_person_has_one_open_at_a_time() -> None:
    source, author = make_source(), UserFactory()
    take_over(source, author=author)
    with pytest.raises(TakeoverError, match="finish or leave"):
        take_over(source, author=author)
    assert Trajectory.objects.filter(purpose="by_hand").count() == 1


def test_a_wish_that_waits_is_not_overwritten() -> None:
    takeover = take_over(make_source())
    Trajectory.objects.filter(pk=takeover.trajectory_id).update(status="running")
    ids = {"takeover_id": takeover.pk, "author_id": takeover.author_id}
    ask_action(**ids, number=0, output=CLICK)
    with pytest.raises(TakeoverError, match="not where your page was"):
        ask_action(**ids, number=0, output=EXIT)


def test_nobody_acts_in_anothers_browser() -> None:
    takeover = take_over(make_source())
    Trajectory.objects.filter(pk=takeover.trajectory_id).update(status="running")
    with pytest.raises(TakeoverError):
        ask_action(
            takeover_id=takeover.pk,
            author_id=UserFactory().pk,
            number=0,
            output=CLICK,
        )


def test_leaving_before_a_browser_is_there_ends_it_at_once() -> None:
    takeover = take_over(make_source())
    leave_takeover(takeover_id=takeover.pk, author_id=takeover.author_id)
    takeover.refresh_from_db()
    assert takeover.trajectory.status == "finished"
    assert takeover.closed_at is not None


def test_a_takeover_whose_worker_died_fails_and_is_not_queued_again(
    settings: Any,
) -> None:
    settings.LEASE_S = 0
    takeover = take_over(make_source())
    late = timezone.now() - dt.timedelta(seconds=1)
    Trajectory.objects.filter(pk=takeover.trajectory_id).update(
        status="running", attempt=1, leased_until=late
    )
    assert requeue_expired() == set()
    assert end_lost_takeovers() == []
    takeover.refresh_from_db()
    assert takeover.trajectory.status == "failed"
    assert takeover.closed_at is not None


def test_the_sweep_names_those_that_wait_for_a_browser() -> None:
    takeover = take_over(make_source())
    assert end_lost_takeovers() == [takeover.trajectory_id]


def test_whom_nobody_opens_a_browser_for_may_try_again() -> None:
    takeover = take_over(make_source())
    Takeover.objects.update(deadline=timezone.now() - dt.timedelta(seconds=1))
    assert end_lost_takeovers() == []
    takeover.trajectory.refresh_from_db()
    assert "No worker opened a browser" in takeover.trajectory.failure_reason


def test_a_success_is_kept_once(play: Any) -> None:
    takeover = take_over(make_source())
    play(takeover, EXIT, hand=FakeBrowser())
    assert keep_demonstration(takeover_id=takeover.pk)
    assert not keep_demonstration(takeover_id=takeover.pk)


def test_a_demonstration_can_be_let_go_and_kept_again(play: Any) -> None:
    takeover = take_over(make_source())
    play(takeover, EXIT, hand=FakeBrowser())
    keep_demonstration(takeover_id=takeover.pk)
    assert let_demonstration_go(takeover_id=takeover.pk)
    assert not let_demonstration_go(takeover_id=takeover.pk)
    assert keep_demonstration(takeover_id=takeover.pk)


@pytest.mark.parametrize("split", ["validation", "test"])
def test_a_task_that_is_held_out_is_never_demonstrated(play: Any, split: str) -> None:
    source = make_source()
    Task.objects.update(split=split)
    takeover = take_over(source)
    play(takeover, EXIT, hand=FakeBrowser())
    with pytest.raises(TakeoverError, match="held out"):
        keep_demonstration(takeover_id=takeover.pk)


@pytest.mark.parametrize("solved", [False, None])
def test_what_is_no_success_is_never_a_demonstration(play: Any, solved: Any) -> None:
    takeover = take_over(make_source())
    play(takeover, EXIT, hand=FakeBrowser(solved))
    with pytest.raises(TakeoverError, match="success"):
        keep_demonstration(takeover_id=takeover.pk)


def test_a_task_on_an_external_site_cannot_be_taken_over() -> None:
    site = SiteFactory(key="mall", kind=Site.Kind.EXTERNAL)
    source = TrajectoryFactory(task=TaskFactory(site=site))
    with pytest.raises(TakeoverError, match="outside the sandbox"):
        take_over(source)


def test_an_episode_that_runs_cannot_be_taken_over() -> None:
    source = TrajectoryFactory(status=Trajectory.Status.RUNNING, ended_by="")
    with pytest.raises(TakeoverError, match="still runs"):
        take_over(source)


def test_a_step_that_is_not_there_cannot_be_taken_over() -> None:
    with pytest.raises(TakeoverError, match="no step 4"):
        take_over(make_source(steps=3), number=4)
