from __future__ import annotations

import pytest

from rollouts.models import Step, Trajectory
from tests.factories import StepFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn


@pytest.fixture
def other(example: Example) -> Trajectory:
    """Another phase's episode of the same task."""
    rows = Trajectory.objects.filter(task=example.trajectory.task, status="finished")
    found = rows.exclude(phase=example.trajectory.phase).first()
    assert found is not None
    return found


@pytest.fixture
def url(example: Example, other: Trajectory) -> str:
    return f"/trajectories/{example.trajectory.pk}/compare/{other.pk}/"


def test_the_replay_offers_other_episodes_of_the_task(
    url: str, sign_in: SignIn, example: Example
):
    seen = sign_in("annotator").get(f"/trajectories/{example.trajectory.pk}/")

    assert f'href="{url}"' in seen.content.decode()


def test_equal_episodes_say_so(url: str, sign_in: SignIn):
    seen = sign_in("annotator").get(url).content.decode()

    assert "the same, step by step" in seen


def test_the_page_opens_where_the_episodes_part(
    url: str, sign_in: SignIn, other: Trajectory
):
    action = {"name": "Click", "element": 2, "argument": ""}
    Step.objects.filter(trajectory=other, index=1).update(action=action)

    response = sign_in("annotator").get(url)

    assert response.context["number"] == response.context["first_difference"] == 2
    assert "The episodes diverge at step 2." in response.content.decode()


def test_hosts_of_their_own_and_ids_make_no_difference(
    url: str, sign_in: SignIn, other: Trajectory
):
    Step.objects.filter(trajectory=other, index=0).update(url="http://elsewhere/0")

    assert sign_in("annotator").get(url).context["first_difference"] is None


def test_what_each_model_saw_is_marked(url: str, sign_in: SignIn, other: Trajectory):
    Step.objects.filter(trajectory=other, index=0).update(observation="<p>Sold out</p>")

    seen = sign_in("annotator").get(url).content.decode()

    assert "<ins>&lt;p&gt;Sold out&lt;/p&gt;</ins>" in seen


def test_the_script_is_given_a_pair_alone(url: str, sign_in: SignIn):
    response = sign_in("annotator").get(
        f"{url}steps/3/", headers={"HX-Request": "true"}
    )

    seen = response.content.decode()
    assert 'data-step="3"' in seen
    assert "<html" not in seen


def test_a_step_that_only_one_episode_has_is_shown_beside_nothing(
    url: str, sign_in: SignIn, other: Trajectory
):
    StepFactory(trajectory=other, observation="<p>Checked out</p>")

    response = sign_in("annotator").get(url)

    assert response.context["first_difference"] == 5
    assert "has no such step" in response.content.decode()


def test_episodes_of_other_tasks_or_none_are_not_compared(
    sign_in: SignIn, example: Example
):
    client, one = sign_in("annotator"), example.trajectory
    stranger = Trajectory.objects.exclude(task=one.task).first()
    assert stranger is not None

    for right in (stranger.pk, one.pk, 999_999):
        url = f"/trajectories/{one.pk}/compare/{right}/"
        assert client.get(url).status_code == 404


@pytest.mark.parametrize("number", [0, 5])
def test_a_pair_that_is_not_there_is_not_found(number: int, url: str, sign_in: SignIn):
    assert sign_in("annotator").get(f"{url}steps/{number}/").status_code == 404


def test_long_episodes_ask_as_often_as_short_ones(
    url: str, sign_in: SignIn, other: Trajectory, count_queries: CountQueries
):
    client = sign_in("annotator")
    few = count_queries(client, url)
    for _ in range(20):
        StepFactory(trajectory=other)

    assert count_queries(client, url) == few <= 11


def test_addresses_that_are_none_are_compared_as_they_are(
    url: str, sign_in: SignIn, other: Trajectory
):
    Step.objects.filter(trajectory=other).update(url="http://[shop")

    assert sign_in("annotator").get(url).status_code == 200
