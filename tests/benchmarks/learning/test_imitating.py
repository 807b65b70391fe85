"""The comparison of a policy with the scripted solver, step by step."""

from __future__ import annotations

import pytest
import torch

from benchmarks.learning.imitating import (
    Step,
    compare,
    count,
    find_part,
    follow,
    group_by_shown,
)
from tests.training.rl.tiny import build_model, build_tokenizer, make_trajectory
from training.rl import checkpoints
from training.rl.encoding import Example

PROMPT = (5, 9, 12, 7)


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer()


@pytest.fixture(scope="module")
def model(tokenizer):
    return build_model(tokenizer)


@pytest.fixture(scope="module")
def likely(model):
    """The six tokens that the model finds most likely after the prompt."""
    ids = list(PROMPT)
    for _ in range(6):
        logits = model(torch.tensor([ids])).logits  # (1, T, V)
        ids.append(int(logits[0, -1].argmax()))
    return tuple(ids[len(PROMPT) :])


def test_a_step_of_likely_tokens_departs_nowhere(model, tokenizer, likely):
    (step,) = follow(model, [Example(PROMPT + likely, len(PROMPT))], tokenizer)
    assert (step.departs, step.part) == (None, "")


def test_the_first_other_token_is_found_beside_longer_steps(model, tokenizer, likely):
    other = (*likely[:4], (likely[4] + 1) % 100, likely[5])
    short = Example(PROMPT + likely[:2], len(PROMPT))

    steps = follow(model, [Example(PROMPT + other, len(PROMPT)), short], tokenizer)

    assert [step.departs for step in steps] == [4, None]
    assert steps[0].nats > steps[1].nats


def test_a_policy_is_compared_by_its_folder(tmp_path, model, tokenizer):
    checkpoints.save_checkpoint(tmp_path / "policy", model, tokenizer)

    trajectory = make_trajectory(1, 1.0, steps=3)

    found = count(compare(tmp_path / "policy", [trajectory], max_action_tokens=48))

    # Random weights repeat nothing.
    assert (found.right, found.steps, found.tasks_right, found.tasks) == (0, 3, 0, 1)
    assert sum(found.departures.values()) == 3


@pytest.mark.parametrize(
    ("begun", "part"),
    [
        ("", "which action"),
        ('do(action="Cl', "which action"),
        ("# Element:", "which element"),
        ("# Element: Blue", "which element"),
        ('# Element: Lamp\ndo(action="Click", element="1', "which element"),
        ('# Element: Search\ndo(action="Type", argument="Blue', "what is typed"),
        ('exit(message="12', "the answer"),
        ('exit(message="12"', "which action"),
    ],
)
def test_the_part_of_an_answer_is_named(begun, part):
    assert find_part(begun) == part


def test_a_task_counts_if_every_step_is_right():
    right, wrong = Step(0.1, None), Step(2.0, 3, "the answer")

    found = count([[right, right], [right, wrong]])

    assert (found.right, found.tasks_right) == (3, 1)
    assert found.nats == pytest.approx(0.575)
    assert found.departures == {"the answer": 1}
    assert "every step of 1 of 2 tasks" in str(found)


def test_episodes_are_grouped_by_whether_their_template_is_demonstrated():
    episodes = [make_trajectory(number, 1.0, steps=1) for number in range(3)]
    templates = ["shop.buy", "shop.find", "shop.buy"]
    tasks = [
        {"instruction": episode.instruction, "template_key": template}
        for episode, template in zip(episodes, templates, strict=True)
    ]

    groups = group_by_shown(episodes, tasks, ["shop.buy"])

    assert groups == {"shown:": [0, 2], "others:": [1]}
