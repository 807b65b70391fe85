"""Settings of the real workers that the services tests start: slow fakes inside."""

from __future__ import annotations

from webrl_site.settings import *  # noqa: F403
from webrl_site.settings import CHECKPOINTS_DIR, DATA_DIR

CHECKPOINT_ROOTS = [DATA_DIR / "models", CHECKPOINTS_DIR]
EPISODE_COLLECTOR = "tests.services.slow.SlowCollector"
ROLLOUT_POLICY = "tests.fakes.load_policy"
REWARD_MODEL = "tests.services.slow.load_reward_model"
VALUE_ESTIMATOR = "tests.services.slow.load_value_estimator"
PHASE_TRAINER = "tests.services.slow.train_phase"
TASK_GENERATOR = "tests.services.slow.SlowGenerator"
