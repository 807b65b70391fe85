"""Settings of the tests: a throw-away data folder and fakes for outside worlds."""

from __future__ import annotations

import os
import tempfile

os.environ["WEBRL_DATA_DIR"] = tempfile.mkdtemp(prefix="webrl-tests-")
os.environ.setdefault("SECRET_KEY", "for-tests-only-" + "x" * 40)
for _name in ("BROKER_URL", "CHANNEL_URL", "WEBRL_DEBUG", "DATABASE_URL"):
    os.environ.pop(_name, None)
if "TEST_DATABASE_URL" in os.environ:
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]

from webrl_site.settings import *  # noqa: E402, F403
from webrl_site.settings import (  # noqa: E402
    CHECKPOINTS_DIR,
    DATA_DIR,
    DATABASES,
    MIDDLEWARE,
)

if "sqlite" in DATABASES["default"]["ENGINE"]:
    # In memory, which pytest-django knows of Django's own engine only.
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}

WHITENOISE = "whitenoise.middleware.WhiteNoiseMiddleware"
STATIC_FILES = {WHITENOISE: "tests.static_files.FoundOnce"}
MIDDLEWARE = [
    "tests.flat_pages.FlatPages",
    *(STATIC_FILES.get(name, name) for name in MIDDLEWARE),
]
DASHBOARD_URL = "http://testserver"
REPLAY_ORIGIN = "http://replay.testserver"
TRACE_ORIGIN = "http://traces.testserver"
ALLOWED_HOSTS = ["testserver", "replay.testserver", "traces.testserver"]
CSRF_TRUSTED_ORIGINS = [DASHBOARD_URL]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CHECKPOINT_ROOTS = [DATA_DIR / "models", CHECKPOINTS_DIR]
EPISODE_COLLECTOR = "tests.fakes.FakeCollector"
ROLLOUT_POLICY = "tests.fakes.load_policy"
REWARD_MODEL = "tests.fakes.load_reward_model"
VALUE_ESTIMATOR = "tests.fakes.load_value_estimator"
PHASE_TRAINER = "tests.fakes.train_phase"
ORM_TRAINER = "tests.fakes.train_orm"
SFT_TRAINER = "tests.fakes.train_sft"
TASK_GENERATOR = "tests.fakes.CannedGenerator"
