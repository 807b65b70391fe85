"""Success of weights on the test tasks, and the phase that measured it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from curriculum.models import Phase
from curriculum.selectors.history import list_phases_of_weights
from rollouts.models import Trajectory
from rollouts.selectors.pages import MEASURING, PurposeCounts, count_by_purpose
from webrl_site.statistics import Proportion, wilson

Purpose = Trajectory.Purpose
Counts = Mapping[tuple[int, str], PurposeCounts]


@dataclasses.dataclass(frozen=True, slots=True)
class Measurement:
    """The judged test episodes of one phase and purpose; `counts` has their number."""

    phase: Phase
    purpose: str
    counts: PurposeCounts
    proportion: Proportion


def measure(phase: Phase, purpose: str, counts: Counts) -> Measurement | None:
    """Return what a phase measured; None while nothing is judged."""
    row = counts.get((phase.pk, purpose))
    if row is None or not row.judged:
        return None
    share = wilson(row.successes, row.judged, tasks=row.judged_tasks)
    return Measurement(phase, purpose, row, share)


def find_starts(phases: Iterable[Phase], counts: Counts) -> dict[int, Measurement]:
    """Return the success of each phase's initial weights by phase id.

    Most phases begin with weights that an earlier phase has measured, and do not
    measure them again. `phases` are one run's, oldest first.
    """
    known: dict[str, Measurement] = {}
    found: dict[int, Measurement] = {}
    for phase in phases:
        if own := measure(phase, Purpose.BASELINE, counts):
            known[phase.policy_uri] = own
        if phase.policy_uri in known:
            found[phase.pk] = known[phase.policy_uri]
        if made := measure(phase, Purpose.EVALUATE, counts):
            known[phase.next_policy_uri] = made
    return found


def find_start(phase: Phase, own: Counts) -> Measurement | None:
    """Return the success of the phase's initial weights; at most two queries."""
    if start := measure(phase, Purpose.BASELINE, own):
        return start
    earlier = list_phases_of_weights(phase) if phase.number > 1 else []
    if not earlier:
        return None
    counts = count_by_purpose([one.pk for one in earlier], MEASURING)
    return find_starts([*earlier, phase], counts).get(phase.pk)
