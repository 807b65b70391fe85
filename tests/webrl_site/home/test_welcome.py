from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from rollouts.models import HumanVerdict
from tests.seed import Example
from tests.webrl_site.conftest import SignIn
from webrl_site.home.first_steps import read_progress
from webrl_site.home.tour import choose_stops
from webrl_site.home.welcome import end_tour, restart_tour
from webrl_site.models import ApiToken, Welcome


@pytest.fixture
def first_visit(example: Example) -> None:
    Welcome.objects.all().delete()


def find_done(user: User) -> list[str]:
    return [step.fact for step, is_done in read_progress(user).rows if is_done]


@pytest.mark.parametrize("who", ["annotator", "researcher", "admin"])
def test_the_first_visit_of_home_brings_the_tour_of_the_role(
    who: str, first_visit: None, sign_in: SignIn, example: Example
):
    seen = sign_in(who).get("/").content.decode()

    stops = choose_stops(getattr(example, who))
    assert 4 <= len(stops) <= 6
    assert seen.count("data-stop=") == len(stops)


def test_a_deep_link_brings_no_tour(first_visit: None, sign_in: SignIn):
    assert "data-tour" not in sign_in("researcher").get("/runs/").content.decode()


def test_an_ended_tour_does_not_come_back(first_visit: None, sign_in: SignIn):
    client = sign_in("annotator")

    response = client.post("/help/tour/end/", headers={"HX-Request": "true"})

    assert response.status_code == 204
    assert "data-tour" not in client.get("/").content.decode()


def test_the_tour_is_ended_for_one_person_alone(
    first_visit: None, sign_in: SignIn, example: Example
):
    end_tour(example.annotator)

    assert "data-tour" in sign_in("researcher").get("/").content.decode()


def test_help_starts_the_tour_again(sign_in: SignIn):
    client = sign_in("annotator")
    assert "data-tour" not in client.get("/").content.decode()

    response = client.post("/help/tour/again/", follow=True)

    assert response.redirect_chain == [("/", 302)]
    assert "data-tour" in response.content.decode()


def test_ending_twice_keeps_the_first_moment(example: Example):
    restart_tour(example.annotator)
    end_tour(example.annotator)
    before = Welcome.objects.get(user=example.annotator).tour_ended_at
    end_tour(example.annotator)

    assert Welcome.objects.get(user=example.annotator).tour_ended_at == before


def test_opening_a_replay_ticks_its_step(sign_in: SignIn, example: Example):
    client = sign_in("annotator")
    assert "welcome__replay_opened_at" not in find_done(example.annotator)

    client.get(f"/trajectories/{example.trajectory.pk}/")

    assert "welcome__replay_opened_at" in find_done(example.annotator)


def test_steps_are_ticked_by_what_the_person_did(example: Example):
    assert find_done(example.annotator) == ["has_reviewed"]
    assert find_done(example.researcher) == ["has_launched"]
    HumanVerdict.objects.create(
        trajectory=example.trajectory, author=example.annotator, verdict="success"
    )

    assert find_done(example.annotator) == ["has_reviewed", "has_judged"]
    assert find_done(example.researcher) == ["has_launched"]


def test_an_operators_step_counts_other_people(example: Example):
    assert "has_people" in find_done(example.admin)
    for group in Group.objects.all():
        group.user_set.clear()

    assert "has_people" not in find_done(example.admin)


def test_home_lists_the_steps_without_scripts_until_all_are_done(
    sign_in: SignIn, example: Example
):
    client = sign_in("annotator")
    seen = client.get("/").content.decode()
    assert "First steps" in seen and "1 of 3 done" in seen
    HumanVerdict.objects.create(
        trajectory=example.trajectory, author=example.annotator, verdict="success"
    )
    client.get(f"/trajectories/{example.trajectory.pk}/")

    assert "First steps" not in client.get("/").content.decode()


def test_hidden_steps_leave_home_and_stay_in_help(sign_in: SignIn):
    client = sign_in("annotator")
    client.post("/help/first-steps/hide/")

    assert "First steps" not in client.get("/").content.decode()
    assert "First steps" in client.get("/help/").content.decode()


def test_each_stop_and_step_leads_to_a_page_of_the_role(
    sign_in: SignIn, example: Example
):
    for who in ("annotator", "researcher", "admin"):
        client = sign_in(who)
        seen = client.get("/help/").content.decode()
        for line in seen.split("first-step")[1:]:
            if 'href="' in line:
                url = line.split('href="')[1].split('"')[0]
                assert client.get(url).status_code == 200, (who, url)


@pytest.mark.parametrize("act", ["tour/end", "tour/again", "first-steps/hide"])
def test_nothing_is_remembered_by_a_link(act: str, sign_in: SignIn):
    assert sign_in("annotator").get(f"/help/{act}/").status_code == 405


def test_a_tokens_owner_alone_has_made_it(example: Example):
    ApiToken.objects.create(
        user=example.admin, name="a", digest="d", expires_at="2030-01-01T00:00Z"
    )

    assert "has_token" in find_done(example.admin)
    assert "has_token" not in find_done(example.researcher)
