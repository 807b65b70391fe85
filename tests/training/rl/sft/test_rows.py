"""Rows of WebRL's published SFT format are learnt as they stand in their file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from rollouts.interchange.sft import PromptRow, write_row
from tests.training.rl import tiny
from training.rl import checkpoints
from training.rl.sft.data import read_sft_spec
from training.rl.sft.trainer import encode_rows, train_on_demonstrations
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig

OUTPUT = '# Element: Home\ndo(action="Click", element="3")'
PAGE = '<html data-bbox="0,0,1280,720"> <a id="3"> Home </a>.\n</html>'
ALGORITHM = {
    "micro_batch_size": 4,
    "max_prompt_tokens": 900,
    "max_action_tokens": 64,
}


def make_row(number: int, output: str = OUTPUT) -> PromptRow:
    row = write_row(f"Buy mug {number}", [OUTPUT] * (number % 3), PAGE, output)
    human, gpt = row["conversations"]
    return PromptRow(f"sft.json, row {number}", human["value"], gpt["value"])


@pytest.fixture
def llama():
    return tiny.build_llama_tokenizer()


@pytest.fixture
def directory(tmp_path: Path, llama) -> Path:
    checkpoints.save_checkpoint(tmp_path / "base", tiny.build_model(llama), llama)
    folder = tmp_path / "sft-rows"
    folder.mkdir()
    spec = {
        "base": str(tmp_path / "base"),
        "seed": 3,
        "sft": {"learning_rate": 1e-2, "epochs": 4, "batch_size": 8},
        "algorithm": ALGORITHM,
    }
    (folder / "spec.json").write_text(json.dumps(spec))
    lines = [json.dumps(dataclasses.asdict(make_row(number))) for number in range(8)]
    (folder / "prompts.jsonl").write_text("\n".join(lines))
    return folder


def test_prompt_and_answer_are_those_of_the_file_byte_for_byte(llama):
    row = make_row(2)
    (example,) = encode_rows(llama, [row], WebRLConfig(**ALGORITHM))
    prompt, answer = (
        llama.decode(part)
        for part in (
            example.ids[: example.prompt_length],
            example.ids[example.prompt_length :],
        )
    )
    assert prompt == f"<|begin_of_text|>{row.prompt}"
    assert answer == f"{row.output}<|eot_id|>"


def test_the_loss_falls_and_a_checkpoint_is_made(directory: Path):
    result = train_on_demonstrations(directory, read_sft_spec(directory))

    assert result["steps"] == 8
    assert result["losses"][-1] < 0.9 * result["losses"][0]
    assert checkpoints.verify(directory / "policy") == result["policy_digest"]


@pytest.mark.parametrize(
    ("limit", "value"), [("max_prompt_tokens", 200), ("max_action_tokens", 16)]
)
def test_a_row_beyond_a_limit_is_named_with_its_line(llama, limit, value):
    config = WebRLConfig(**ALGORITHM | {limit: value})
    with pytest.raises(TrainingDataError, match=f"row 1: .* {limit} is {value}"):
        encode_rows(llama, [make_row(1)], config)
