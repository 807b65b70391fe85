"""Settings of a whole workbench whose outside worlds answer at once."""

from __future__ import annotations

from tests.services.settings import *  # noqa: F403

EPISODE_COLLECTOR = "tests.fakes.FakeCollector"
REWARD_MODEL = "tests.fakes.load_reward_model"
VALUE_ESTIMATOR = "tests.fakes.load_value_estimator"
PHASE_TRAINER = "tests.fakes.train_phase"
TASK_GENERATOR = "tests.fakes.CannedGenerator"
