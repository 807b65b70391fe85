"""Imported episodes as trajectories that can be replayed; nothing trains on them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, Run, Task
from curriculum.services.imported.lock import hold_run_name
from curriculum.services.imported.runs import (
    begin_imported_run,
    drop_imported_runs,
    finish_imported_runs,
    list_left_sites,
    list_unfinished_runs,
    make_imported_phase,
    name_policy,
    note_made_sites,
)
from curriculum.services.imported.tasks import (
    ForeignTask,
    drop_made_rows,
    find_or_make_task,
)
from curriculum.services.phases import clean_run_name
from rollouts.artifact_store import open_artifacts
from rollouts.artifacts import JPEG_SUFFIX
from rollouts.interchange.episodes import EpisodeFileError, FileEpisode, FileStep
from rollouts.models import Step, Trajectory
from rollouts.rules.error_types import name_error_type
from rollouts.services.error_types import read_act
from rollouts.services.imported.collisions import try_twice
from rollouts.services.imported.leftovers import list_left_tasks
from rollouts.services.imported.progress import ImportReport, Progress
from rollouts.services.text import clean, clean_all

BATCH = 50
MAX_PHASE = 10_000
MAX_URL = 2000
# The largest value of the column on every database.
MAX_TOKENS = 2**31 - 1
_SITE = re.compile(r"[a-zA-Z0-9_-]{1,36}\Z")
Purpose = Trajectory.Purpose
Settings = Mapping[str, Mapping[str, Any]]


class _Import:
    """One import: the runs, phases and tasks that it has met so far.

    `held` keeps the names of its runs from other imports.
    """

    def __init__(
        self, source: str, name: str, settings: Settings, held: ExitStack
    ) -> None:
        self._source, self._name, self._settings = source, name, settings
        self._held = held
        self._names: set[str] = set()
        self._now = Progress()

    @property
    def report(self) -> ImportReport:
        """What is written so far."""
        return self._now.report

    def write(self, episodes: Sequence[FileEpisode]) -> None:
        """Write a batch of episodes, all or none."""
        before = self._now.copy()
        try:
            with transaction.atomic():
                self._write_batch(episodes)
        except BaseException:
            # The others were never stored; another import's rows may get their ids.
            self._now = before
            raise

    def _write_batch(self, episodes: Sequence[FileEpisode]) -> None:
        for episode in episodes:
            row = self._write_trajectory(episode)
            Step.objects.bulk_create(
                [
                    self._build_step(row, index, step)
                    for index, step in enumerate(episode.steps)
                ],
                batch_size=200,
            )
            self.report.episodes += 1
            self.report.steps += len(episode.steps)

    @transaction.atomic
    def finish(self) -> None:
        """Mark the runs as complete; delete what a killed import had made in vain."""
        for run in self._now.runs.values():
            if run.pk in self._now.sites:
                note_made_sites(run=run, keys=())
        finish_imported_runs(ids=[run.pk for run in self._now.runs.values()])
        drop_made_rows(made=self._now.left)

    @transaction.atomic
    def drop(self) -> None:
        """Delete what earlier batches wrote, but for what others use by now.

        What a killed import of these runs has left goes, too.
        """
        ids = [run.pk for run in self._now.runs.values()]
        for name in self._names - self._now.runs.keys():
            self._take_over(name)
            ids += list_unfinished_runs(name).values_list("pk", flat=True)
        drop_imported_runs(ids=ids)
        drop_made_rows(made=self.report.made)

    def _write_trajectory(self, episode: FileEpisode) -> Trajectory:
        run = self._find_run(episode)
        _check(episode)
        phase = self._find_phase(run, episode.phase)
        task = self._find_task(run, episode)
        name_policy(
            phase=phase,
            policy=clean(episode.policy),
            is_trained=episode.purpose == Purpose.EVALUATE,
        )
        return Trajectory.objects.create(
            phase=phase,
            task=task,
            purpose=episode.purpose,
            repeat=self._find_repeat(phase, task, episode),
            seed=episode.seed,
            status=Trajectory.Status.FINISHED,
            attempt=1,
            ended_by=episode.ended_by,
            answer=clean(episode.answer),
            step_count=len(episode.steps),
            final_observation=clean(episode.final_observation),
            final_url=clean(episode.final_url),
            outcome=episode.outcome,
            outcome_checks=[clean_all(check) for check in episode.checks],
            error_type=_name_error(episode),
            success_probability=episode.success_probability,
            reward=episode.reward,
            started_at=episode.started_at,
            ended_at=episode.ended_at,
        )

    def _find_phase(self, run: Run, number: int) -> Phase:
        place = (run.pk, number)
        phases = self._now.phases
        if place not in phases:
            phases[place] = make_imported_phase(run=run, number=number)
        return phases[place]

    def _find_run(self, episode: FileEpisode) -> Run:
        # The name is that of a single run, or the prefix of several runs' names.
        name = episode.run or self._name
        if episode.run and self._name:
            name = f"{self._name} {episode.run}"
        name = clean_run_name(clean(name))
        runs = self._now.runs
        if name not in runs:
            self._hold(name)
            self._take_over(name)
            runs[name] = begin_imported_run(
                name=name,
                config=_make_config(self._source, episode, self._settings),
                notes=f"Imported ({self._source}). Nothing of it was measured here.",
            )
            self.report.runs.append(name)
        return runs[name]

    def _hold(self, name: str) -> None:
        if name not in self._names:
            self._held.enter_context(hold_run_name(name))
            self._names.add(name)

    def _take_over(self, name: str) -> None:
        """Count rows of a killed import as made by this one, which replaces it."""
        own = [run.pk for run in self._now.runs.values()]
        tasks, sites = list_left_tasks(name=name, own=own), list_left_sites(name)
        for made in (self._now.left, self.report.made):
            made.tasks |= tasks
            made.sites |= sites
        self.report.known -= tasks

    def _find_task(self, run: Run, episode: FileEpisode) -> Task:
        asked: dict[str, Any] = clean_all(dataclasses.asdict(episode.task))
        asked["known_as"] = tuple(asked["known_as"])
        made = self.report.made
        task = find_or_make_task(foreign=ForeignTask(**asked), made=made)
        if task.pk not in made.tasks:
            self.report.known.add(task.pk)
        self._note_site(run, task.site.key)
        return task

    def _note_site(self, run: Run, key: str) -> None:
        """Keep with the run that this import made its site, in case it is killed."""
        noted = self._now.sites.get(run.pk, frozenset())
        if key in self.report.made.sites - noted:
            self._now.sites[run.pk] = noted | {key}
            note_made_sites(run=run, keys=noted | {key})

    def _find_repeat(self, phase: Phase, task: Task, episode: FileEpisode) -> int:
        """Return the attempt's own number, or the next free one where that is taken."""
        place = (phase.pk, task.pk, episode.purpose)
        taken = self._now.repeats.get(place, frozenset())
        number = episode.repeat
        while number in taken:
            number += 1
        self._now.repeats[place] = taken | {number}
        return number

    def _build_step(self, row: Trajectory, index: int, step: FileStep) -> Step:
        picture = ""
        if step.screenshot:
            # The suffix says only that it is a picture; its first bytes tell the
            # format.
            picture = open_artifacts().store(step.screenshot, JPEG_SUFFIX)
            self.report.pictures += 1
        return Step(
            trajectory=row,
            attempt=1,
            index=index,
            url=clean(step.url),
            title=clean(step.title),
            observation=clean(step.observation),
            output=clean(step.output),
            action=clean_all(step.action),
            error=clean(step.error),
            target_box=list(step.target_box),
            screenshot=picture,
            timing=step.timing,
            log_probability=step.log_probability,
            token_count=step.token_count,
            token_ids=list(step.token_ids),
            token_log_probabilities=list(step.token_log_probabilities),
        )


def import_episodes(
    *,
    episodes: Iterable[FileEpisode],
    source: str,
    name: str = "",
    settings: Settings | None = None,
) -> ImportReport:
    """Write episodes of files into runs of their own; after an error none is kept.

    Args:
        episodes: As a reader of `rollouts.interchange` yields them.
        source: Name of their format.
        name: The run's name where the files give none, else a prefix of their names.
        settings: By section, what the runs were made with; charts compare them by it.

    Raises:
        WorkbenchError: A file cannot be read, a value is none of a trajectory, a run
            of that name is there already, or another import is writing it.
    """
    with ExitStack() as held:
        work = _Import(source, name, settings or {}, held)
        try:
            _write_all(work, episodes)
            try_twice(work.finish)
        except BaseException as error:
            try_twice(work.drop)
            if isinstance(error, EpisodeFileError):
                raise WorkbenchError(str(error)) from None
            raise
    return work.report


def _write_all(work: _Import, episodes: Iterable[FileEpisode]) -> None:
    """Write the episodes in batches.

    Raises:
        WorkbenchError: There are none, or `work` refuses one.
    """
    waiting: list[FileEpisode] = []
    for episode in episodes:
        waiting.append(episode)
        if len(waiting) >= BATCH:
            try_twice(partial(work.write, waiting))
            waiting = []
    try_twice(partial(work.write, waiting))
    if not work.report.episodes:
        raise WorkbenchError(gettext("There is no finished episode."))


def _make_config(
    source: str, episode: FileEpisode, settings: Settings
) -> Mapping[str, Any]:
    """Return the settings, with how the run observed and acted, for the replay."""
    form, dialect = episode.observation_form, episode.action_dialect
    known = {"observation": form, "action_dialect": dialect}
    seen = {name: value for name, value in known.items() if value}
    return {
        **settings,
        "rollout": {**settings.get("rollout", {}), **seen},
        "import": {"source": source, "has_prompts": source == "dataset", **known},
    }


def _name_error(episode: FileEpisode) -> str:
    """Return the rules' error type of a failed episode; "" for any other."""
    if episode.outcome is not False:
        return ""
    acts = [read_act(step.action, step.error) for step in episode.steps]
    return name_error_type(episode.ended_by, acts)


def _check(episode: FileEpisode) -> None:
    """Refuse values that a trajectory cannot have; files may contain anything.

    Raises:
        WorkbenchError: Names the episode's task and the field.
    """
    chance, reward = episode.success_probability, episode.reward
    checks: dict[str, bool] = {
        "purpose": episode.purpose in Purpose.values,
        "ended_by": episode.ended_by in Trajectory.EndedBy.values,
        "split": episode.task.split in Task.Split.values,
        "site": not episode.task.site or bool(_SITE.match(episode.task.site)),
        "start_url": len(episode.task.start_url) <= MAX_URL,
        "phase": _is_count(episode.phase, 1, MAX_PHASE),
        "repeat": _is_count(episode.repeat, 0, 10**6),
        "seed": _is_count(episode.seed, 0, 2**63 - 1),
        "optimal_steps": episode.task.optimal_steps is None
        or _is_count(episode.task.optimal_steps, 0, 1000),
        "success_probability": chance is None or 0 <= chance <= 1,
        "reward": reward is None or reward in (0, 1),
        "checks": all(isinstance(one, dict) for one in episode.checks),
        "token_count": all(
            step.token_count is None or _is_count(step.token_count, 0, MAX_TOKENS)
            for step in episode.steps
        ),
    }
    wrong = [name for name, is_right in checks.items() if not is_right]
    if wrong:
        told = gettext("An episode of %(task)s has no usable %(field)s.")
        raise WorkbenchError(told % {"task": episode.task.key, "field": wrong[0]})


def _is_count(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high
