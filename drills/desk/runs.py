"""A run for drills, with the settings of the example."""

from __future__ import annotations

from curriculum import services
from curriculum.models import Run
from webrl_site.runs.config import preset


def make_run(name: str) -> Run:
    """Make a run that has no phase yet."""
    return services.create_run(name=name, config=preset("demo").to_json(), seed=1)
