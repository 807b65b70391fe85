"""What tests of a phase's training share."""

from __future__ import annotations

import json

from training.rl.phase.trainer import PhaseTrainer
from training.rl.training_data import read_spec


def run(directory, **options):
    return make_trainer(directory, **options).run()


def make_trainer(
    directory,
    on_progress=lambda part, done, total: None,
    report=lambda name, step, value: None,
):
    return PhaseTrainer(
        directory,
        read_spec(directory),
        report=report,
        on_progress=on_progress,
        callbacks=lambda part: [],
    )


def reports_of(directory):
    """Run a phase; every number that it reports, by name and step."""
    found = {}
    run(
        directory,
        report=lambda name, step, value: found.setdefault(name, {}).update(
            {step: value}
        ),
    )
    return found


def scores(directory):
    lines = (directory / "scores.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def change_config(directory, **changes):
    spec = json.loads((directory / "spec.json").read_text())
    spec["config"] |= changes
    (directory / "spec.json").write_text(json.dumps(spec))
