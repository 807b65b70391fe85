"""Llama-3.1's shape through a phase under WebRL's form: act, score, train, value."""

from __future__ import annotations

import dataclasses
import json
import statistics
from pathlib import Path
from typing import Any

import pytest
import torch

from rollouts.policies.protocol import Policy, PolicyRequest
from rollouts.policies.trained_prompts import TrainedPrompt
from tests.training.rl import tiny
from tests.training.rl.scale.test_shapes import SHAPES, SIZES, put_start, train
from training.rl import checkpoints
from training.rl.critic import load_value_estimator
from training.rl.local_policy import load_policy
from training.rl.orm.reward_model import load_reward_model
from training.rl.training_data import read_spec, read_trajectories
from training.rl.types import Trajectory, Transition

WEBRL = TrainedPrompt("webrl", "webrl")
LIMITS: dict[str, Any] = {"max_prompt_tokens": 900, "max_action_tokens": 8}
PAGE = '<html data-bbox="0,0,1280,720"> <a id="{n}"> Home </a> </html>'


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory to train that still lacks its episodes."""
    llama = tiny.build_llama_tokenizer()
    torch.manual_seed(0)
    model = SHAPES["llama-3.1"](vocab_size=len(llama), **SIZES)
    folder = tiny.write_training_directory(tmp_path, model, llama, **LIMITS)
    put_start(folder, model, llama)
    (folder / "replay.jsonl").unlink()
    spec = json.loads((folder / "spec.json").read_text())
    spec["prompt"] = dataclasses.asdict(WEBRL)
    (folder / "spec.json").write_text(json.dumps(spec))
    return folder


def play(policy: Policy, number: int) -> Trajectory:
    """Let the policy answer three pages; what it says does nothing."""
    steps: list[Transition] = []
    for index in range(3):
        history, page = tuple(step.output for step in steps), PAGE.format(n=index)
        request = PolicyRequest(
            f"Find lamp {number}", history, ("",) * index, page, 10 * number + index
        )
        [answer] = policy.act([request])
        steps.append(
            Transition(
                step_id=10 * number + index,
                history=history,
                errors=request.errors,
                observation=page,
                output=answer.output,
                token_ids=answer.token_ids,
                token_log_probabilities=answer.token_log_probabilities,
            )
        )
    return Trajectory(number, number, f"Find lamp {number}", tuple(steps), page)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_a_phase_trains_on_the_tokens_that_were_sampled(directory: Path):
    start = directory.parent / "p0"
    policy = load_policy(
        str(start),
        temperature=1.0,
        served_prompt="webrl",
        observation="webrl",
        **LIMITS,
    )
    episodes = [play(policy, number) for number in range(4)]
    judge = load_reward_model(str(start), max_prompt_tokens=900, budget=4096)
    scores = [score or 0.0 for score in judge.score(episodes)]
    # Noise, but half of it must count as success.
    middle = statistics.median(scores)
    tiny.write_lines(
        directory / "fresh.jsonl",
        [
            dataclasses.replace(episode, reward=float(score > middle))
            for episode, score in zip(episodes, scores, strict=True)
        ],
    )

    found = train(directory)

    assert found["train/unrecorded_steps"] == 0
    assert found["train/record_mismatch"] < 1e-3
    assert found["train/objective_after"] < found["train/objective_before"]
    critic = load_value_estimator(
        str(directory / "critic"), max_prompt_tokens=900, budget=4096, prompt=WEBRL
    )
    assert all(0 < value < 1 for value in critic.estimate([("Find it", PAGE)]))


def test_prompts_of_another_form_are_found_out(directory: Path):
    """The control: what was sampled from one prompt is no record for another."""
    policy = load_policy(str(directory.parent / "p0"), temperature=1.0, **LIMITS)
    episodes = [play(policy, number) for number in range(4)]
    tiny.write_lines(
        directory / "fresh.jsonl",
        [
            dataclasses.replace(one, reward=float(n % 2))
            for n, one in enumerate(episodes)
        ],
    )

    assert train(directory)["train/record_mismatch"] > 1e-3


def test_a_directory_of_an_older_version_has_the_conversation(directory: Path):
    spec = json.loads((directory / "spec.json").read_text())
    del spec["prompt"]
    (directory / "spec.json").write_text(json.dumps(spec))

    assert read_spec(directory).prompt == TrainedPrompt("plain", "compact")
    assert read_trajectories(directory / "fresh.jsonl")
    assert checkpoints.verify(directory.parent / "p0")
