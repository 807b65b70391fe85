from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from rollouts.models import Trajectory
from rollouts.selectors.pages import map_progress
from tests.factories import StepFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn


@pytest.fixture
def running(example: Example) -> Example:
    """The example's episode, as if it were still going on."""
    update(example, status="running", ended_by="", outcome=None)
    return example


def update(example: Example, **fields: object) -> None:
    Trajectory.objects.filter(pk=example.trajectory.pk).update(**fields)


def test_a_running_episode_says_that_its_steps_will_appear(
    sign_in: SignIn, running: Example
):
    client = sign_in("annotator")
    seen = client.get(f"/trajectories/{running.trajectory.pk}/").content.decode()

    assert "badge-live" in seen
    assert 'data-version="1.4.running"' in seen
    assert "replay_live.js" in seen


def test_an_episode_whose_worker_is_silent_says_so(sign_in: SignIn, running: Example):
    update(running, leased_until=timezone.now() - dt.timedelta(seconds=5))

    client = sign_in("annotator")
    seen = client.get(f"/trajectories/{running.trajectory.pk}/").content.decode()

    assert "stopped responding" in seen
    assert "badge-live" not in seen


def test_an_episode_that_is_over_waits_for_nothing(sign_in: SignIn, example: Example):
    client = sign_in("annotator")
    seen = client.get(f"/trajectories/{example.trajectory.pk}/").content.decode()

    assert "replay_live.js" not in seen
    assert "data-live=" not in seen


def test_the_live_part_holds_what_changes_and_no_page(
    sign_in: SignIn, running: Example
):
    client = sign_in("annotator")
    seen = client.get(f"/trajectories/{running.trajectory.pk}/live/").content.decode()

    for part in ('data-part="badges"', 'data-part="live"', 'id="verdicts"'):
        assert part in seen
    assert seen.count("data-go=") == 4
    assert "<iframe" not in seen and "<html" not in seen


def test_a_finished_episodes_live_part_ends_the_waiting(
    sign_in: SignIn, example: Example
):
    client = sign_in("annotator")
    seen = client.get(f"/trajectories/{example.trajectory.pk}/live/").content.decode()

    assert "data-over" in seen


def test_a_long_episodes_live_part_asks_as_often_as_a_short_ones(
    sign_in: SignIn, running: Example, count_queries: CountQueries
):
    client, url = sign_in("annotator"), f"/trajectories/{running.trajectory.pk}/live/"
    few = count_queries(client, url)
    for _ in range(20):
        StepFactory(trajectory=running.trajectory)

    assert count_queries(client, url) == few <= 8


def test_a_lease_that_ends_is_news(running: Example):
    pk = running.trajectory.pk
    update(running, leased_until=timezone.now() + dt.timedelta(minutes=1))
    before = map_progress([pk])[pk]
    update(running, leased_until=timezone.now() - dt.timedelta(seconds=5))
    after = map_progress([pk])[pk]

    assert (before.state, after.state) == ("running", "silent")
    assert before.version != after.version


def test_an_episode_shows_one_state_at_a_time(sign_in: SignIn, running: Example):
    update(running, status="queued", leased_until=None)

    client = sign_in("annotator")
    seen = client.get(f"/trajectories/{running.trajectory.pk}/").content.decode()

    live = seen[seen.index("data-live-badge") :]
    assert "waits for a browser" in live
    assert "badge-live" not in seen
    assert "Live" not in live[: live.index("</span>")]
