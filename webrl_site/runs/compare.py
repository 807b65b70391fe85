"""Runs side by side: configuration, success, differences, metrics, seeds."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, pgettext

from curriculum.models import Run
from rollouts.selectors.measured import (
    Measured,
    TaskOutcome,
    list_measured,
    list_task_outcomes,
    map_test_tasks,
)
from rollouts.selectors.pages import OutcomeRow, count_outcomes
from training.selectors.pages import average_metrics
from webrl_site.charts.training import METRIC_CHARTS
from webrl_site.ledger.between_runs import compare_with_first
from webrl_site.runs import document as run_document
from webrl_site.runs.config_diff import compare
from webrl_site.runs.shared_tasks import find_shared
from webrl_site.statistics import (
    Difference,
    Mean,
    Proportion,
    difference_of,
    mean_of,
    wilson,
)

# As many as fit side by side.
MAX_RUNS = 6
MAX_FLIPS = 200
# As many rows as fit a screen with their heading.
OPEN_FLIPS = 20
CHARTED = (*METRIC_CHARTS.values(),)
# From this share of its attempts on, a task counts as solved where both runs are equal.
MOSTLY = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Flip:
    """A test task that one of two runs solves, or more often than the other."""

    instruction: str
    task_id: int
    before: TaskOutcome
    after: TaskOutcome


@dataclasses.dataclass(frozen=True, slots=True)
class Flips:
    """The test tasks that both of two runs have attempted, by their outcomes."""

    before: Measured
    after: Measured
    lost: list[Flip]
    won: list[Flip]
    lost_count: int
    won_count: int
    both_right: int
    both_wrong: int

    @property
    def total(self) -> int:
        return self.lost_count + self.won_count + self.both_right + self.both_wrong

    @property
    def is_long(self) -> bool:
        """Whether the list is folded, so that what follows it is found."""
        return len(self.lost) + len(self.won) > OPEN_FLIPS


@dataclasses.dataclass(frozen=True, slots=True)
class MetricMeans:
    """A training metric's mean in each run; `label` and `unit` where it has a chart."""

    name: str
    label: str
    unit: str
    values: list[float | None]


@dataclasses.dataclass(frozen=True, slots=True)
class SeedMean:
    """Mean success of a group's runs at one moment.

    `difference` is from the first group; None for that group and without an interval.
    """

    label: str
    mean: Mean
    difference: Difference | None


@dataclasses.dataclass(frozen=True, slots=True)
class SeedGroup:
    """Runs of one configuration with several seeds, and their mean by phase."""

    runs: list[Run]
    means: list[SeedMean]


def describe_comparison(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the page's variables; the number of queries is constant."""
    ids = [run.pk for run in runs]
    documents = [run_document.compared(run_document.describe_run(r)) for r in runs]
    settings = compare(documents)
    outcomes = _by_moment(count_outcomes(ids))
    newest = list_measured(ids)
    by_task = list_task_outcomes([*newest.values()])
    return {
        "runs": runs,
        "differing": [row for row in settings if row.differs],
        "same": [row for row in settings if not row.differs],
        "success": _success_rows(runs, outcomes),
        "shared": find_shared(
            runs, newest, map_test_tasks([*newest.values()]), by_task
        ),
        "flips": find_flips(runs, newest, by_task),
        "comparisons": compare_with_first(runs, newest, by_task),
        "metrics": _metric_rows(ids),
        "groups": group_seeds(runs, outcomes),
    }


def _by_moment(
    rows: Collection[OutcomeRow],
) -> dict[tuple[int, int, str], Proportion]:
    """Sum the sites: success by run, phase number and purpose."""
    sums: dict[tuple[int, int, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        total = sums[row.run_id, row.phase_number, row.purpose]
        for place, count in enumerate((row.successes, row.n, row.tasks)):
            total[place] += count
    return {key: wilson(right, n, tasks=t) for key, (right, n, t) in sums.items()}


def _moments(outcomes: Mapping[tuple[int, int, str], Any]) -> list[tuple[int, str]]:
    """Return phase numbers and purposes in the order in which they are measured."""
    return sorted({(number, purpose) for _, number, purpose in outcomes})


def _label(number: int, purpose: str) -> str:
    return (
        gettext("Phase %(number)s") % {"number": number}
        if purpose == "evaluate"
        else pgettext("moment", "Start")
    )


def _success_rows(
    runs: Sequence[Run], outcomes: Mapping[tuple[int, int, str], Proportion]
) -> list[tuple[str, list[Proportion | None]]]:
    return [
        (_label(*moment), [outcomes.get((run.pk, *moment)) for run in runs])
        for moment in _moments(outcomes)
    ]


def find_flips(
    runs: Sequence[Run],
    newest: Mapping[int, Measured],
    outcomes: Mapping[Measured, Sequence[TaskOutcome]],
) -> Flips | None:
    """Compare the newest measurements of the first two, task by task.

    Of several attempts at a task the share that solved it counts.

    None unless both were measured.
    """
    if len(runs) < 2 or any(run.pk not in newest for run in runs[:2]):
        return None
    before, after = (newest[run.pk] for run in runs[:2])
    ours, theirs = _by_task(outcomes[before]), _by_task(outcomes[after])
    pairs = [(rows, theirs[task]) for task, rows in ours.items() if task in theirs]
    lost = [(a, b) for a, b in pairs if _share(a) > _share(b)]
    won = [(a, b) for a, b in pairs if _share(a) < _share(b)]
    right = sum(_share(a) == _share(b) >= MOSTLY for a, b in pairs)
    return Flips(
        before,
        after,
        [_flip(a, b, is_lost=True) for a, b in lost[:MAX_FLIPS]],
        [_flip(a, b, is_lost=False) for a, b in won[:MAX_FLIPS]],
        len(lost),
        len(won),
        right,
        len(pairs) - len(lost) - len(won) - right,
    )


def _by_task(rows: Sequence[TaskOutcome]) -> dict[int, list[TaskOutcome]]:
    """Group the attempts at each task."""
    found: dict[int, list[TaskOutcome]] = defaultdict(list)
    for row in rows:
        found[row.task_id].append(row)
    return found


def _share(attempts: Sequence[TaskOutcome]) -> float:
    """Return the share of a task's attempts that solved it, 0 to 1."""
    return sum(row.is_right for row in attempts) / len(attempts)


def _flip(
    before: Sequence[TaskOutcome], after: Sequence[TaskOutcome], *, is_lost: bool
) -> Flip:
    """Show a task by an attempt on each side that differs from the other's."""
    one = next(row for row in before if row.is_right == is_lost)
    other = next(row for row in after if row.is_right != is_lost)
    return Flip(one.instruction, one.task_id, one, other)


def _metric_rows(ids: Sequence[int]) -> list[MetricMeans]:
    """Return each metric's mean over the steps of each run's newest training.

    First those that have a chart, in the order of the charts.
    """
    found = average_metrics(ids)
    charted = {name: (str(label), str(unit)) for name, label, unit in CHARTED}
    names = sorted({name for _, name in found} - charted.keys())
    return [
        MetricMeans(name, *charted.get(name, ("", "")), values)
        for name in (*charted, *names)
        if (values := [found.get((pk, name)) for pk in ids]).count(None) < len(ids)
    ]


def group_seeds(
    runs: Sequence[Run], outcomes: Mapping[tuple[int, int, str], Proportion]
) -> list[SeedGroup]:
    """Group the runs that differ only in seed and name; a group has at least two."""
    by_name: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_name[name_configuration(run)].append(run)
    groups = [group for group in by_name.values() if len(group) > 1]
    return [
        SeedGroup(group, _means(group, outcomes, groups[0] if place else []))
        for place, group in enumerate(groups)
    ]


def name_configuration(run: Run) -> str:
    """Return a text that is the same for runs that differ only in seed and name."""
    document = run_document.compared(run_document.describe_run(run))
    return json.dumps(
        {k: v for k, v in document.items() if k != "seed"}, sort_keys=True
    )


def _means(
    runs: Sequence[Run],
    outcomes: Mapping[tuple[int, int, str], Proportion],
    against: Sequence[Run],
) -> list[SeedMean]:
    found = []
    for moment in _moments(outcomes):
        if rates := _rates(runs, outcomes, moment):
            difference = difference_of(_rates(against, outcomes, moment), rates)
            found.append(SeedMean(_label(*moment), mean_of(rates), difference))
    return found


def _rates(
    runs: Sequence[Run],
    outcomes: Mapping[tuple[int, int, str], Proportion],
    moment: tuple[int, str],
) -> list[float]:
    shares = [outcomes.get((run.pk, *moment)) for run in runs]
    return [p.rate for p in shares if p is not None and p.rate is not None]
