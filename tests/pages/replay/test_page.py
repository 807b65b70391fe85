from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from rollouts.models import Step, Trajectory
from tests.pages.conftest import SignIn
from tests.seed import Example
from webrl_site.replay_view import StepView, describe_action, make_strips


def test_each_step_has_an_address_and_a_page_before_and_after(
    sign_in: SignIn, example: Example
):
    url = f"/trajectories/{example.trajectory.pk}/"

    response = sign_in("annotator").get(url)

    views = response.context["steps"]
    assert [view.number for view in views] == [1, 2, 3, 4]
    assert views[0].after == views[1].before
    assert views[3].after == response.context["final"]
    assert views[0].before.html.startswith(f"{settings.REPLAY_ORIGIN}/recorded/")
    assert 'id="step-3"' in response.content.decode()


def test_recorded_pages_stand_in_a_sandbox(sign_in: SignIn, example: Example):
    url = f"/trajectories/{example.trajectory.pk}/"

    seen = sign_in("annotator").get(url).content.decode()

    assert seen.count("<iframe") == seen.count('<iframe sandbox=""') == 8


def test_what_a_model_wrote_is_never_markup(sign_in: SignIn, example: Example):
    attack = "</pre><script>alert(1)</script>"
    Step.objects.filter(trajectory=example.trajectory).update(
        output=attack, observation=attack, title=attack, error=attack
    )

    url = f"/trajectories/{example.trajectory.pk}/"
    seen = sign_in("annotator").get(url).content.decode()

    assert "<script>alert" not in seen


def test_older_attempts_are_superseded(sign_in: SignIn, example: Example):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(attempt=2)

    url = f"/trajectories/{example.trajectory.pk}/"
    response = sign_in("annotator").get(url)

    assert response.context["steps"] == []
    assert "attempt 2" in response.content.decode()


def test_a_step_says_why_it_was_left_out(sign_in: SignIn, example: Example):
    url = f"/trajectories/{example.trajectory.pk}/"
    steps = example.trajectory.steps.all()
    steps[0].experiences.update(was_used=False, left_out_reason="perplexity above 2")

    seen = sign_in("annotator").get(url).content.decode()

    assert "because perplexity above 2" in seen


def test_a_queued_episode_says_that_it_waits(sign_in: SignIn):
    queued = Trajectory.objects.filter(status="queued").first()
    assert queued

    seen = sign_in("annotator").get(f"/trajectories/{queued.pk}/").content.decode()

    assert "waits for a browser" in seen


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"name": "Click", "element": 12, "argument": ""}, "Click → [12]"),
        ({"name": "Type", "element": 4, "argument": "mug"}, "Type “mug” → [4]"),
        ({"name": "Go Home"}, "Go Home"),
        ({}, "No valid action"),
    ],
)
def test_actions_are_said_as_a_person_says_them(action: dict[str, object], said: str):
    assert describe_action(action) == said


def strip_of(values: list[float | None], name: str) -> Any:
    numbers: list[Any] = [
        SimpleNamespace(value=value, advantage=value, perplexity=value, log_ratio=value)
        for value in values
    ]
    nothing: Any = None
    views = [
        StepView(nothing, i + 1, "", nothing, nothing, None, 0.0, [number])
        for i, number in enumerate(numbers)
    ]
    return next((s for s in make_strips(views) if s.name == name), None)


def test_bars_below_the_line_hang_from_it():
    strip = strip_of([0.5, -0.5], "Advantage")

    up, down = strip.bars
    assert up.y + up.height == pytest.approx(strip.zero, abs=0.02)
    assert down.y == strip.zero
    assert down.is_low and not up.is_low


def test_steps_without_a_number_have_no_bar():
    assert [bar.number for bar in strip_of([None, 0.4], "Value").bars] == [2]
    assert strip_of([None, None], "Value") is None


def test_every_bar_stays_inside_its_strip():
    for name in ("Value", "Advantage", "Perplexity", "Log-ratio"):
        for bar in strip_of([0.0, 1.0, 7.5, -3.0], name).bars:
            assert bar.y >= 0
            assert bar.y + bar.height <= 36.02
