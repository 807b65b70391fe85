from __future__ import annotations

import pytest

from rollouts.models import Trajectory
from tests.factories import StepFactory, TrajectoryFactory
from webrl_site.replay.prompt import describe_prompt

pytestmark = pytest.mark.django_db


def write_episode(policy_uri: str = "starter/policy") -> Trajectory:
    trajectory = TrajectoryFactory(phase__policy_uri=policy_uri)
    StepFactory(trajectory=trajectory, output="click 1", error="No such element")
    StepFactory(trajectory=trajectory, output="click 2")
    return trajectory


def test_the_conversation_is_the_one_that_the_policy_was_given():
    trajectory = write_episode()
    earlier = list(trajectory.steps.all())

    prompt = describe_prompt(trajectory, earlier, "<p>now</p>")

    assert [(m["role"], m["content"]) for m in prompt.messages] == [
        ("user", f"Task Instruction: {trajectory.task.instruction}"),
        ("assistant", "click 1"),
        ("user", "Error: No such element"),
        ("user", "** Simplified html **"),
        ("assistant", "click 2"),
        ("user", "<p>now</p>"),
    ]


def test_the_limit_of_a_policy_of_ours_is_named():
    prompt = describe_prompt(write_episode(), [], "<p>now</p>")

    assert prompt.limit == 512


def test_a_served_policys_page_is_cut_as_it_was_when_sent():
    trajectory = write_episode("http://127.0.0.1:9/v1#model")
    trajectory.phase.run.config["rollout"] = {"served_prompt": "plain"}

    prompt = describe_prompt(trajectory, [], "x" * 10_000)

    sent = sum(len(message["content"]) for message in prompt.messages)
    assert sent == 3 * 512
    assert prompt.limit == 0


def test_an_evaluation_was_answered_by_the_new_weights():
    trajectory = write_episode("http://127.0.0.1:9/v1#model")
    trajectory.purpose = Trajectory.Purpose.EVALUATE
    trajectory.phase.next_policy_uri = "phase-1/policy"

    assert describe_prompt(trajectory, [], "x" * 10_000).limit == 512


@pytest.mark.parametrize("uri", ["http://127.0.0.1:9/v1#model", "lab/llama"])
def test_a_released_models_prompt_is_one_text(uri: str):
    trajectory = write_episode(uri)
    trajectory.phase.run.config["rollout"] = {"served_prompt": "webrl"}

    (message,) = describe_prompt(trajectory, [], "<p>now</p>").messages

    assert message["role"] == "prompt"
    assert message["content"].startswith("Task Instruction: ")
