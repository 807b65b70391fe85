"""What a run's phases attempted and solved, by the template of the tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping

from django.db.models import Count

from curriculum.models import Phase, Run, Task
from rollouts.models import Takeover, Trajectory
from training.selectors.loop import find_rewards

Key = tuple[str, str]


@dataclasses.dataclass(slots=True)
class Tally:
    """Number of judged training episodes, and of those that count as solved."""

    n: int = 0
    solved: int = 0


@dataclasses.dataclass(slots=True)
class TemplateAttempts:
    """A template's training episodes by phase id.

    Attributes:
        example: An instruction that fills the template.
        failed_id: The newest failed episode; None where none has failed.
        demonstrations: Number kept by people of its training tasks, in any run.
    """

    site: str
    site_name: str
    template: str
    example: str
    phases: dict[int, Tally] = dataclasses.field(default_factory=dict)
    failed_id: int | None = None
    demonstrations: int = 0

    @property
    def total(self) -> Tally:
        """The tally of all phases."""
        tallies = self.phases.values()
        return Tally(sum(one.n for one in tallies), sum(one.solved for one in tallies))


@dataclasses.dataclass(frozen=True, slots=True)
class RunAttempts:
    """The templates that a run attempted.

    Attributes:
        phases: Number of each phase by its id, in order.
        templates: In the order of their first attempt.
        others: Attempts at tasks without a template.
        are_rewarded: Whether the attempts are those with a reward, not with an outcome.
    """

    phases: dict[int, int]
    templates: list[TemplateAttempts]
    others: int
    are_rewarded: bool


@dataclasses.dataclass(frozen=True, slots=True)
class _Attempt:
    pk: int
    phase_id: int
    number: int
    task_id: int
    is_solved: bool


def read_attempts(run: Run) -> RunAttempts:
    """Read a run's training episodes; the rewards it trains on decide what is solved.

    If a run has no rewards, such as an imported one, the evaluators' outcome counts.
    """
    rewards = _find_rewards(run)
    attempts = list(_judge(run, rewards))
    tasks = _read_tasks({one.task_id for one in attempts})
    found: dict[Key, TemplateAttempts] = {}
    for one in attempts:
        site, site_name, template, instruction = tasks[one.task_id]
        if template:
            row = found.setdefault(
                (site, template),
                TemplateAttempts(site, site_name, template, instruction),
            )
            _count(row, one)
    for key, n in _count_demonstrations(found).items():
        found[key].demonstrations = n
    counted = sum(row.total.n for row in found.values())
    numbers = {one.phase_id: one.number for one in attempts}
    others = len(attempts) - counted
    return RunAttempts(numbers, list(found.values()), others, bool(rewards))


def _find_rewards(run: Run) -> Mapping[int, float]:
    newest = Phase.objects.filter(run=run).select_related("run").order_by("number")
    phase = newest.last()
    return find_rewards(phase) if phase else {}


def _judge(run: Run, rewards: Mapping[int, float]) -> Iterator[_Attempt]:
    rows = Trajectory.objects.filter(
        phase__run=run,
        purpose=Trajectory.Purpose.COLLECT,
        status=Trajectory.Status.FINISHED,
    ).order_by("phase__number", "pk")
    fields = ("pk", "phase_id", "phase__number", "task_id", "outcome")
    for pk, phase_id, number, task_id, outcome in rows.values_list(*fields):
        said = rewards.get(pk) if rewards else outcome
        if said is not None:
            yield _Attempt(pk, phase_id, number, task_id, bool(said))


def _count(row: TemplateAttempts, one: _Attempt) -> None:
    tally = row.phases.setdefault(one.phase_id, Tally())
    tally.n += 1
    tally.solved += one.is_solved
    if not one.is_solved:
        row.failed_id = one.pk


def _read_tasks(task_ids: Collection[int]) -> dict[int, tuple[str, str, str, str]]:
    fields = ("pk", "site__key", "site__name", "template_key", "instruction")
    rows = Task.objects.filter(pk__in=task_ids).values_list(*fields)
    return {row[0]: row[1:] for row in rows}


def _count_demonstrations(keys: Collection[Key]) -> dict[Key, int]:
    """Count the kept demonstrations by template; templates without any are left out."""
    rows = (
        Takeover.objects.filter(
            kept_at__isnull=False,
            trajectory__task__split=Task.Split.TRAIN,
            trajectory__task__template_key__in={template for _, template in keys},
        )
        .order_by()
        .values_list("trajectory__task__site__key", "trajectory__task__template_key")
        .annotate(n=Count("pk"))
    )
    return {(site, key): n for site, key, n in rows if (site, key) in keys}
