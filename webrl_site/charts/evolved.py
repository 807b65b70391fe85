"""What became of the tasks that each phase evolved: kept, refused, or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from curriculum.models import Task
from rollouts.selectors.chart_rows import PhaseKey
from webrl_site.charts.chart import (
    Chart,
    MomentNames,
    share_row,
    stacked_chart,
    tasks_url,
)
from webrl_site.statistics import wilson

# From tasks that train the next phase to tasks not yet reviewed.
ORDER = (
    Task.Status.ACCEPTED,
    Task.Status.REJECTED,
    Task.Status.FILTERED,
    Task.Status.LEFT,
    Task.Status.DISPUTED,
    Task.Status.SHORTLISTED,
    Task.Status.PROPOSED,
)


def evolved_tasks(
    phases: Sequence[PhaseKey], counts: Mapping[tuple[int, str], int]
) -> Chart:
    """Each status's share of all tasks that a phase evolved.

    `counts` are by phase and status.
    """
    totals: Counter[int] = Counter()
    for (phase_id, _), n in counts.items():
        totals[phase_id] += n
    labels = _label([phase for phase in phases if totals[phase.phase_id]])
    marks = [
        share_row(
            str(status.label),
            label,
            wilson(counts[phase_id, status], totals[phase_id]),
            tasks_url(born_in=phase_id, status=status.value),
        )
        for status in ORDER
        for phase_id, label in labels.items()
        if (phase_id, status) in counts
    ]
    text = gettext(
        "All tasks that a phase evolved from its failures, by what became of them. "
        "Accepted ones are what the next phases train on."
    )
    title, unit = gettext("What became of evolved tasks"), gettext("tasks, %")
    order = list(labels.values())
    return stacked_chart("evolved", title, text, marks, unit, order)


def _label(phases: Sequence[PhaseKey]) -> dict[int, str]:
    """Return what each phase is called, with its run where there are several."""
    several, moments = len({phase.run_id for phase in phases}) > 1, MomentNames()
    labels = {}
    for phase in phases:
        at = moments["evolve", phase.phase_number]
        labels[phase.phase_id] = f"{phase.run_name}, {at.lower()}" if several else at
    return labels
