from __future__ import annotations

from math import nan
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.training.rl import tiny
from tests.training.rl.phase.helpers import make_trainer, reports_of, run, scores
from training.rl import checkpoints, launch, metric_names
from training.rl.critic import estimate_values, load_critic
from training.rl.encoding import Example
from training.rl.phase.steps import StepRow, load_selection, save_selection
from training.rl.process import Diverged


def test_a_model_with_dropout_begins_at_its_reference(tmp_path, model, tokenizer):
    model.config.attention_dropout = 0.5
    # Without a learning rate each step of the update is like the first.
    directory = tiny.write_training_directory(
        tmp_path, model, tokenizer, policy_learning_rate=0.0
    )
    assert set(reports_of(directory)[metric_names.KL].values()) == {0.0}


def spoil(folder: Path) -> None:
    """Let one weight of a checkpoint be no number."""
    weights = load_file(folder / "model.safetensors")
    weights["norm.weight" if "norm.weight" in weights else "model.norm.weight"][0] = nan
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    (folder / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("part", "setting"),
    [("p0", "policy_learning_rate"), ("c0", "critic_learning_rate")],
)
def test_an_update_that_is_not_finite_ends_with_what_to_lower(
    training_directory, part, setting
):
    spoil(training_directory.parent / part)
    with pytest.raises(Diverged, match=f"step 1 is not finite .* Lower {setting}"):
        run(training_directory)
    assert not (training_directory / "policy").exists()


def test_the_subprocess_tells_that_its_update_diverged(training_directory):
    spoil(training_directory.parent / "c0")
    with pytest.raises(launch.TrainingFailed, match="the update diverged"):
        launch.train_phase(
            training_directory,
            threads=1,
            on_progress=lambda progress: None,
            should_stop=lambda: False,
        )
    log = (training_directory / launch.LOG).read_text()
    assert "Traceback" not in log


def test_values_are_computed_in_the_precision_of_the_run(tmp_path, tokenizer):
    # Wide enough to be read in bfloat16 where nothing else is asked for.
    model = tiny.build_model(tokenizer, width=checkpoints.BFLOAT16_WIDTH)
    directory = tiny.write_training_directory(
        tmp_path, model, tokenizer, precision="float32", policy_epochs=0
    )
    trainer = make_trainer(directory)
    trainer.run()
    critic = load_critic(directory / "critic", dtype=torch.float32)
    prompts = [row.example.prompt.ids for part in trainer.steps for row in part]
    expected = estimate_values(critic, prompts, pad_id=0, budget=4096)
    found = [row["value"] for row in scores(directory)]
    assert found == pytest.approx(expected, abs=1e-5)


class Uncopied(tuple[int, ...]):
    """Token ids that must be left where they are."""

    def __iter__(self):
        raise AssertionError("The token ids were copied.")


def test_a_selection_is_saved_without_copying_token_ids(tmp_path):
    def make_row(advantage: float) -> StepRow:
        example = Example(Uncopied(), 1)
        return StepRow(7, "fresh", example, 1.0, advantage=advantage, reference=(-0.5,))

    kept, found = make_row(0.25), make_row(0.0)
    save_selection(tmp_path / "selection.json", [kept])
    assert load_selection(tmp_path / "selection.json", [found])
    assert found.as_score() == kept.as_score()
    assert found.reference == (-0.5,)
