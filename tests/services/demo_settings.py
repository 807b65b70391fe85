"""Settings of the demo: outside worlds that answer at once, and a tenth of its tasks.

Each episode costs the workers' transactions. The preset's own numbers are tested where
presets are.
"""

from __future__ import annotations

from tests.services.quick_settings import *  # noqa: F403
from webrl_site.runs.config import PRESETS

PRESETS["demo"]["curriculum"] |= {"tasks_per_phase": 24}
