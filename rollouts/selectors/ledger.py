"""Every judged test episode of a run, by task and by when it was measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from curriculum.models import Task
from rollouts.models import Trajectory
from rollouts.selectors.pages import MEASURING, count_words


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """When test tasks were measured: before a phase trained, or after it."""

    phase_id: int
    phase_number: int
    purpose: str

    @property
    def key(self) -> str:
        """Its name in addresses."""
        return f"{self.purpose}-{self.phase_id}"


@dataclasses.dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """The evaluators' outcome of one test episode."""

    trajectory_id: int
    task_id: int
    is_right: bool


@dataclasses.dataclass(frozen=True, slots=True)
class LedgerTask:
    """The properties of a test task by which the ledger selects and groups.

    Attributes:
        template: Tasks of one template succeed and fail together.
        is_unseen: No training task has this template.
        steps: The fewest that solve it, where known.
        words: Number of words of the instruction.
    """

    task_id: int
    instruction: str
    site: str
    site_name: str
    template: str
    is_unseen: bool
    steps: int | None
    words: int


@dataclasses.dataclass(frozen=True, slots=True)
class RunEpisodes:
    """Test episodes of one run; moments are in chronological order."""

    tasks: dict[int, LedgerTask]
    episodes: dict[Moment, list[JudgedEpisode]]


def read_test_episodes(run_id: int) -> RunEpisodes:
    """Return the evaluators' outcomes of a run's test tasks, in three queries."""
    rows = Trajectory.objects.filter(
        phase__run_id=run_id, purpose__in=MEASURING, outcome__isnull=False
    )
    fields = ("phase_id", "phase__number", "purpose", "pk", "task_id", "outcome")
    found: dict[Moment, list[JudgedEpisode]] = {}
    # "baseline" sorts before "evaluate", which is also the order in time.
    for *moment, pk, task_id, outcome in rows.order_by(
        "phase__number", "purpose", "task_id", "repeat"
    ).values_list(*fields):
        episode = JudgedEpisode(pk, task_id, bool(outcome))
        found.setdefault(Moment(*moment), []).append(episode)
    ids = {one.task_id for episodes in found.values() for one in episodes}
    return RunEpisodes(read_tasks(ids), found)


def read_tasks(task_ids: Collection[int]) -> dict[int, LedgerTask]:
    """Return these test tasks with their templates, in two queries."""
    fields = ("pk", "instruction", "site__key", "site__name", "template_key")
    rows = list(
        Task.objects.filter(pk__in=task_ids).values_list(
            *fields, "optimal_steps", count_words("instruction")
        )
    )
    seen = _find_trained_templates({row[4] for row in rows if row[4]})
    return {
        pk: LedgerTask(
            pk,
            text,
            site,
            name,
            # A task without a template is its own group.
            template or f"task {pk}",
            bool(template) and template not in seen,
            steps,
            words,
        )
        for pk, text, site, name, template, steps, words in rows
    }


def _find_trained_templates(templates: Collection[str]) -> set[str]:
    rows = Task.objects.filter(split=Task.Split.TRAIN, template_key__in=templates)
    return set(rows.order_by().values_list("template_key", flat=True).distinct())
