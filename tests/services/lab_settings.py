"""Settings of a lab's machines: fakes for models, real sites and a real browser."""

from __future__ import annotations

import os
from pathlib import Path

from tests.services.quick_settings import *  # noqa: F403
from webrl_site.settings import CHECKPOINTS_DIR

# As the weights in the checkout, which every machine has.
CHECKPOINT_ROOTS = [Path(os.environ["LAB_MODELS"]), CHECKPOINTS_DIR]
EPISODE_COLLECTOR = "rollouts.collection.collector.Collector"
