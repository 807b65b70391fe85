from __future__ import annotations

from tests.training.rl import tiny
from tests.training.rl.phase.helpers import run
from training.rl import metric_names


def reports_of(directory):
    found = {}
    run(
        directory,
        report=lambda name, step, value: found.setdefault(name, {}).update(
            {step: value}
        ),
    )
    return found


def test_a_model_with_dropout_begins_at_its_reference(tmp_path, model, tokenizer):
    model.config.attention_dropout = 0.5
    # Without a learning rate each step of the update is like the first.
    directory = tiny.write_training_directory(
        tmp_path, model, tokenizer, policy_learning_rate=0.0
    )
    assert set(reports_of(directory)[metric_names.KL].values()) == {0.0}
