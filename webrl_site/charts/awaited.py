"""What an empty chart waits for, while a phase of the chosen runs is running."""

from __future__ import annotations

from django.utils.translation import gettext

from curriculum.models import Phase
from webrl_site.charts.training import METRIC_CHARTS
from webrl_site.phases.progress import LABELS, ORDER

S = Phase.Status
FILLED_BY = {
    "orm": S.SCORING,
    "calibration": S.SCORING,
    "evolved": S.EVOLVING,
    **dict.fromkeys(METRIC_CHARTS, S.TRAINING),
}


def say_when(key: str, phase: Phase) -> str:
    """Return when a running phase will have numbers for an empty chart."""
    measuring = S.BASELINE if phase.number == 1 else S.EVALUATING
    stage = FILLED_BY.get(key, measuring)
    here = ORDER.index(S(phase.status)) if phase.status in ORDER else -1
    if here > ORDER.index(stage):
        # The start was measured by another run, or the stage had no result.
        stage = S.EVALUATING if stage == measuring else stage
    if here == ORDER.index(stage):
        return gettext(
            "%(phase)s is at “%(stage)s”: this stage yields these numbers."
        ) % {
            "phase": phase,
            "stage": LABELS[stage],
        }
    if here > ORDER.index(stage):
        return ""
    return gettext(
        "%(phase)s is running: these numbers appear once “%(stage)s” begins."
    ) % {
        "phase": phase,
        "stage": LABELS[stage],
    }
