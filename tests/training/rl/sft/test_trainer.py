from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tests.training.rl.conftest import CLICK, make_trajectory
from tests.training.rl.sft.helpers import ALGORITHM, write_sft_directory
from training.rl import checkpoints, launch
from training.rl.sft.config import SftConfig
from training.rl.sft.data import read_sft_spec
from training.rl.sft.imitation import imitate
from training.rl.sft.trainer import (
    encode_steps,
    make_encoder,
    train_on_demonstrations,
)
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig


@pytest.fixture
def directory(tmp_path: Path, model, tokenizer) -> Path:
    return write_sft_directory(tmp_path, model, tokenizer, episodes=2)


def change_spec(folder: Path, **algorithm: object) -> None:
    spec = json.loads((folder / "spec.json").read_text())
    spec["algorithm"] |= algorithm
    (folder / "spec.json").write_text(json.dumps(spec))


def test_each_step_is_learnt_with_what_the_person_did(tokenizer):
    encoder = make_encoder(tokenizer, WebRLConfig(**ALGORITHM))
    first, second = encode_steps(encoder, [make_trajectory(1, 1)])

    answer = tokenizer.decode(first.ids[first.prompt_length :])
    assert answer.startswith(CLICK[:12])
    assert second.prompt_length > first.prompt_length


def test_the_policy_comes_nearer_to_the_person(directory: Path):
    result = train_on_demonstrations(directory, read_sft_spec(directory))

    assert result["steps"] == 4
    assert len(result["losses"]) == 4
    assert result["losses"][-1] < result["losses"][0]


def test_copies_with_other_names_are_learnt_beside_each_step(directory: Path):
    change_spec(directory, augmented_copies=3)
    result = train_on_demonstrations(directory, read_sft_spec(directory))
    assert result["steps"] == 4
    assert result["augmented_steps"] == 4 * 3


def test_the_subprocess_makes_a_checkpoint_that_loads(directory: Path):
    launch.train_sft(
        directory,
        threads=1,
        on_progress=lambda progress: None,
        should_stop=lambda: False,
    )

    result = json.loads((directory / "result.json").read_text())
    assert checkpoints.verify(directory / "policy") == result["policy_digest"]
    before, after = (
        checkpoints.load_policy_model(path)
        for path in (directory.parent / "base", directory / "policy")
    )
    pairs = zip(before.parameters(), after.parameters(), strict=True)
    assert not all(torch.equal(one, other) for one, other in pairs)


def make_long(directory: Path, trajectories: int) -> None:
    """Lengthen the first answer of some demonstrations beyond the limit."""
    path = directory / "demonstrations.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows[:trajectories]:
        row["transitions"][0]["output"] = CLICK * 2
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_a_step_with_too_long_an_answer_is_left_out_and_counted(directory: Path):
    make_long(directory, 1)

    result = train_on_demonstrations(directory, read_sft_spec(directory))

    assert (result["steps"], result["left_out_steps"]) == (3, 1)


def test_a_copy_with_too_long_an_answer_is_left_out(directory: Path):
    make_long(directory, 1)
    change_spec(directory, augmented_copies=3)

    result = train_on_demonstrations(directory, read_sft_spec(directory))

    assert result["augmented_steps"] == 3 * 3


def test_where_every_answer_is_too_long_it_says_so(directory: Path):
    change_spec(directory, max_action_tokens=8)

    with pytest.raises(TrainingDataError, match="longer than max_action_tokens: 4"):
        train_on_demonstrations(directory, read_sft_spec(directory))


def test_without_a_demonstrated_step_it_says_so(directory: Path):
    (directory / "demonstrations.jsonl").write_text("")

    with pytest.raises(TrainingDataError, match="No demonstrated step"):
        train_on_demonstrations(directory, read_sft_spec(directory))


def test_an_unknown_number_is_refused(directory: Path):
    spec = json.loads((directory / "spec.json").read_text())
    spec["sft"]["epoch"] = 3
    (directory / "spec.json").write_text(json.dumps(spec))

    with pytest.raises(TrainingDataError, match="epoch"):
        read_sft_spec(directory)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_adapter_learns_and_is_merged(directory: Path):
    spec = json.loads((directory / "spec.json").read_text())
    spec["algorithm"] |= {"lora_rank": 4, "precision": "bfloat16"}
    (directory / "spec.json").write_text(json.dumps(spec))

    result = train_on_demonstrations(directory, read_sft_spec(directory))

    assert result["losses"][-1] < result["losses"][0]
    saved = checkpoints.load_policy_model(directory / "policy")
    assert result["parameter_count"] == saved.num_parameters()
    assert not any("lora" in name for name, _ in saved.named_parameters())


def test_the_loss_is_the_mean_over_the_actions_tokens(directory, model, tokenizer):
    encoder = make_encoder(tokenizer, WebRLConfig(**ALGORITHM))
    (example, *_) = encode_steps(encoder, [make_trajectory(1, 1)])
    ids = torch.tensor([example.ids])
    labels = ids.clone()
    labels[:, : example.prompt_length] = -100
    expected = model(input_ids=ids, labels=labels).loss.item()

    losses, _ = imitate(
        model,
        [example] * 4,
        pad_id=tokenizer.pad_token_id,
        directory=directory / "work",
        sft=SftConfig(batch_size=4, learning_rate=0),
        algorithm=WebRLConfig(**ALGORITHM | {"micro_batch_size": 4}),
        seed=0,
        report=lambda name, step, value: None,
    )

    assert losses == [pytest.approx(expected, abs=1e-4)]
