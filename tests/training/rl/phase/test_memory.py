from __future__ import annotations

import gc

import pytest

from tests.training.rl.phase.helpers import run
from training.rl.phase.updates import CriticTrainer, PolicyTrainer


@pytest.fixture
def _without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_without_collector")
def test_moments_are_freed_before_the_next_model_is_loaded(training_directory):
    run(training_directory)
    trainers = (CriticTrainer, PolicyTrainer)
    assert not [thing for thing in gc.get_objects() if type(thing) in trainers]
