from __future__ import annotations

import pytest
from django.conf import settings

from curriculum.texts.sentences import Sentence
from rollouts.models import Step, Trajectory
from tests.factories import StepFactory, TrajectoryFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries, SignIn


def url_of(example: Example, number: int | None = None) -> str:
    base = f"/trajectories/{example.trajectory.pk}/"
    return f"{base}steps/{number}/" if number else base


def test_each_step_has_an_address_and_a_page_before_and_after(
    sign_in: SignIn, example: Example
):
    client = sign_in("annotator")

    details = [client.get(url_of(example, n)).context["detail"] for n in (1, 2, 3, 4)]

    assert [detail.outline.number for detail in details] == [1, 2, 3, 4]
    assert details[0].after == details[1].outline.before
    assert example.trajectory.final_snapshot in details[3].after.html
    assert details[0].after.html.startswith(f"{settings.REPLAY_ORIGIN}/recorded/")


def test_the_film_leads_to_every_step_without_a_script(
    sign_in: SignIn, example: Example
):
    seen = sign_in("annotator").get(url_of(example)).content.decode()

    for number in (1, 2, 3, 4):
        assert f'href="{url_of(example, number)}"' in seen


def test_the_strips_numbers_are_in_the_table_for_everybody(
    sign_in: SignIn, example: Example
):
    experience = example.trajectory.steps.get(index=2).experiences.get()

    seen = sign_in("annotator").get(url_of(example)).content.decode()

    assert f'title="Value at step 3: {experience.value:.3f}"' in seen
    assert f'<span class="film-number tiny number">{experience.value:.3f}' in seen


def test_a_step_that_is_not_there_is_not_found(sign_in: SignIn, example: Example):
    client = sign_in("annotator")

    assert client.get(url_of(example, 5)).status_code == 404
    assert client.get(f"{url_of(example)}steps/0/").status_code == 404


def test_the_script_is_given_a_steps_part_alone(sign_in: SignIn, example: Example):
    response = sign_in("annotator").get(
        url_of(example, 2), headers={"HX-Request": "true"}
    )

    seen = response.content.decode()
    assert 'data-step="2"' in seen
    assert "<html" not in seen


def test_the_targets_line_is_marked_in_what_the_model_saw(
    sign_in: SignIn, example: Example
):
    detail = sign_in("annotator").get(url_of(example, 2)).context["detail"]

    assert detail.target == '<a id="1"> Enamel camping mug </a>'


def test_recorded_pages_stand_in_a_sandbox(sign_in: SignIn, example: Example):
    seen = sign_in("annotator").get(url_of(example)).content.decode()

    assert seen.count("<iframe") == seen.count('<iframe sandbox=""') == 2


@pytest.mark.parametrize("number", [1, 3])
def test_what_a_model_wrote_is_never_markup(
    number: int, sign_in: SignIn, example: Example
):
    attack = "</pre><script>alert(1)</script>"
    Step.objects.filter(trajectory=example.trajectory).update(
        output=attack, observation=attack, title=attack, error=attack
    )

    seen = sign_in("annotator").get(url_of(example, number)).content.decode()

    assert "<script>alert" not in seen


def test_older_attempts_are_superseded(sign_in: SignIn, example: Example):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(attempt=2)

    response = sign_in("annotator").get(url_of(example))

    assert response.context["film"].tiles == []
    assert "attempt 2" in response.content.decode()


def test_a_step_says_why_it_was_left_out(sign_in: SignIn, example: Example):
    steps = example.trajectory.steps.all()
    steps[0].experiences.update(was_used=False, left_out_reason="perplexity above 2")

    seen = sign_in("annotator").get(url_of(example)).content.decode()

    assert "left out because perplexity above 2" in seen
    assert "because perplexity above 2" in seen


def test_a_queued_episode_says_that_it_waits(sign_in: SignIn):
    queued = Trajectory.objects.filter(status="queued").first()
    assert queued

    seen = sign_in("annotator").get(f"/trajectories/{queued.pk}/").content.decode()

    assert "waits for a browser" in seen


@pytest.mark.parametrize("part", ["whole", "panel"])
def test_a_long_episode_asks_as_often_as_a_short_one(
    part: str, sign_in: SignIn, example: Example, count_queries: CountQueries
):
    client = sign_in("annotator")
    if part == "panel":
        client.defaults["HTTP_HX_REQUEST"] = "true"
    client.get(url_of(example, 3))  # The first replay somebody opens is remembered.
    few = count_queries(client, url_of(example, 3))
    for _ in range(20):
        StepFactory(trajectory=example.trajectory)

    assert count_queries(client, url_of(example, 3)) == few
    assert few <= {"whole": 12, "panel": 8}[part]


def test_the_page_after_an_action_has_its_own_address(
    sign_in: SignIn, example: Example
):
    client = sign_in("annotator")

    details = [client.get(url_of(example, n)).context["detail"] for n in (1, 4)]

    assert details[0].outline.step.url == "http://shop.example/0"
    assert details[0].after_url == "http://shop.example/1"
    assert details[1].after_url == example.trajectory.final_url == "http://shop/cart"


def test_a_last_page_whose_address_is_unknown_has_none(
    sign_in: SignIn, example: Example
):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(final_url="")

    seen = sign_in("annotator").get(url_of(example, 4)).content.decode()

    assert seen.count('class="tiny muted mono page-url"') == 1


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (
            Sentence("page_silent", seconds=30),
            '<pre class="small">La página no respondió durante 30 s.</pre>',
        ),
        ("net::ERR_FAILED", '<pre class="small" lang="en">net::ERR_FAILED</pre>'),
    ],
)
def test_why_an_episode_was_broken_is_told_in_the_readers_language(
    reason: str, shown: str, sign_in: SignIn, example: Example
):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(failure_reason=reason)
    client = sign_in("annotator")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"

    assert shown in client.get(url_of(example)).content.decode()


def test_the_episodes_before_and_after_are_named_in_words(
    sign_in: SignIn, example: Example
):
    TrajectoryFactory(phase=example.trajectory.phase, purpose="collect", repeat=97)
    seen = sign_in("annotator").get(url_of(example)).content.decode()

    assert "Next episode <kbd>Shift+L</kbd>" in seen


def test_places_that_pages_tried_to_reach_in_vain_are_shown(
    sign_in: SignIn, example: Example
):
    client = sign_in("annotator")
    before = client.get(url_of(example)).content.decode()
    attempt = {"host": "<b>.evil.test", "port": 443, "kind": "image", "count": 7}
    Trajectory.objects.filter(pk=example.trajectory.pk).update(
        refused_attempts=[attempt]
    )

    seen = client.get(url_of(example)).content.decode()

    assert "&lt;b&gt;.evil.test:443" in seen
    assert "image \N{MULTIPLICATION SIGN} 7" in seen
    assert "outside the task" not in before
