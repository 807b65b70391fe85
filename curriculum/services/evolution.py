"""Failed tasks in, proposed tasks out: the generator and the first filters."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.module_loading import import_string

from curriculum.errors import EndpointDown, GeneratorError
from curriculum.events import ProgressEvent, publish
from curriculum.evolution.answers import make_storable
from curriculum.evolution.filters import (
    DuplicateFilter,
    find_text_fault,
    spread_over_parents,
)
from curriculum.evolution.openai_generator import (
    GeneratorFailed,
    GeneratorUnavailable,
    NoTasks,
)
from curriculum.evolution.types import (
    Closable,
    JudgesByExamples,
    ProposedTask,
    ProposesInParts,
    SeedTask,
    TaskGenerator,
)
from curriculum.models import Phase, Site, Task
from curriculum.phase_config import CurriculumConfig
from curriculum.selectors.held_out import open_leak_gate
from curriculum.selectors.pools import list_unjudged
from curriculum.services.proposals import (
    MAX_TEMPLATE_KEY,
    record_feasibility,
    record_proposals,
)
from curriculum.services.stage_lease import Heartbeat, working_on, writing_under
from curriculum.texts.sentences import Sentence


class Part(NamedTuple):
    """Some of a generator's tasks; `is_last` if there will be no more."""

    tasks: list[ProposedTask]
    is_last: bool


def evolve_phase(*, phase_id: int, seed_task_ids: Sequence[int], owner: str) -> int:
    """Propose new tasks from failed ones; returns how many passed the filters.

    Proposals and verdicts on them are stored as they come: a job that runs again
    continues where the last one ended. Does nothing when all of the phase's tasks are
    proposed and judged already, or another job does it.

    Raises:
        EndpointDown: The generator's endpoint does not answer at present.
        GeneratorError: The generator gave no usable answer.
    """
    stage = Phase.Status.EVOLVING
    with working_on(phase_id=phase_id, stage=stage, owner=owner) as heartbeat:
        if heartbeat is None:
            return 0
        phase = Phase.objects.select_related("run").get(pk=phase_id)
        is_proposed = phase.evolved_at is not None
        if is_proposed and not list_unjudged(phase_id).exists():
            return 0
        seeds = read_seeds(seed_task_ids)
        try:
            with _open_generator() as generator:
                if not is_proposed:
                    _propose(generator, seeds, phase, heartbeat)
                _judge(generator, seeds, heartbeat)
        except GeneratorUnavailable as error:
            raise EndpointDown(str(error), wait_s=error.wait_s) from error
        except GeneratorFailed as error:
            raise GeneratorError(str(error)) from error
        if heartbeat.must_stop:
            return 0
        return _born(phase_id).filter(status=Task.Status.PROPOSED).count()


@contextlib.contextmanager
def _open_generator() -> Iterator[TaskGenerator]:
    """Lend the generator; one with weights frees its device at the end."""
    generator: TaskGenerator = import_string(settings.TASK_GENERATOR)()
    try:
        yield generator
    finally:
        if isinstance(generator, Closable):
            generator.close()


def read_seeds(task_ids: Sequence[int]) -> list[SeedTask]:
    """Return the failed tasks as the generator reads them.

    A page of a suite sets its own goal: nothing can be evolved there.
    """
    rows = Task.objects.filter(pk__in=list(task_ids)).select_related("site")
    return [
        SeedTask(
            task_id=row.pk,
            site=row.site.key,
            instruction=row.instruction,
            start_url=row.start_url,
            template_key=row.template_key,
            spec=row.spec,
        )
        for row in rows.order_by("pk").exclude(split=Task.Split.TEST)
        if "suite" not in row.spec
    ]


def _propose(
    generator: TaskGenerator,
    seeds: Sequence[SeedTask],
    phase: Phase,
    heartbeat: Heartbeat,
) -> None:
    """Store the tasks that are still missing, each answer of the generator at once."""
    config = CurriculumConfig(**phase.run.config.get("curriculum", {}))
    stored = _born(phase.pk).count()
    missing = config.proposals_per_phase - stored
    check = _Checks(phase.run_id, seeds)
    if seeds and missing > 0:
        seed = phase.run.seed * 1009 + phase.number + stored
        parts = _ask(generator, seeds, missing, seed, has_some=stored > 0)
    else:
        parts = iter([Part([], is_last=True)])
    for part in parts:
        if heartbeat.must_stop:
            return
        found = [(task, check(task)) for task in map(_clean, part.tasks)]
        with writing_under(heartbeat):
            record_proposals(
                phase_id=phase.pk,
                found=[pair for pair in found if check.knows_origin(pair[0])],
                is_last=part.is_last,
            )


def _ask(
    generator: TaskGenerator,
    seeds: Sequence[SeedTask],
    count: int,
    seed: int,
    *,
    has_some: bool,
) -> Iterator[Part]:
    """Yield at most `count` tasks in parts; `has_some`: there are some already."""
    if not isinstance(generator, ProposesInParts):
        proposals = generator.propose(seeds, count=count, seed=seed)
        if not isinstance(proposals, list):
            raise GeneratorError("The generator did not return a list of tasks.")
        yield Part(spread_over_parents(proposals)[:count], is_last=True)
        return
    try:
        for tasks in generator.propose_in_parts(seeds, count=count, seed=seed):
            has_some = True
            yield Part(spread_over_parents(tasks), is_last=False)
    except NoTasks:
        # What the generator proposed before an outage is enough to go on with.
        if not has_some:
            raise
    yield Part([], is_last=True)


def _judge(
    generator: TaskGenerator, seeds: Sequence[SeedTask], heartbeat: Heartbeat
) -> None:
    """Store the generator's verdict on each proposal that has none yet."""
    if isinstance(generator, JudgesByExamples):
        generator.show_examples(seeds)
    phase_id = heartbeat.lease.phase_id
    rows = list(list_unjudged(phase_id).select_related("site").order_by("pk"))
    for number, row in enumerate(rows):
        if heartbeat.must_stop:
            return
        if number % 25 == 0:
            _report(phase_id, number, len(rows))
        feasibility = generator.judge_feasibility(_as_proposed(row))
        with writing_under(heartbeat):
            record_feasibility(task=row, feasibility=feasibility)
    _report(phase_id, len(rows), len(rows))


def _as_proposed(row: Task) -> ProposedTask:
    return ProposedTask(
        parent_id=row.parent_id or 0,
        site=row.site.key,
        instruction=row.instruction,
        start_url=row.start_url,
        template_key=row.template_key,
        spec=row.spec,
        optimal_steps=row.optimal_steps,
    )


def _born(phase_id: int) -> QuerySet[Task]:
    return Task.objects.filter(born_in_id=phase_id)


def _clean(task: ProposedTask) -> ProposedTask:
    """Leave out of a proposal's texts what no database stores."""
    return dataclasses.replace(
        task,
        instruction=make_storable(task.instruction),
        start_url=make_storable(task.start_url),
        template_key=make_storable(task.template_key),
    )


class _Checks:
    """The first filters, which ask no model."""

    def __init__(self, run_id: int, seeds: Sequence[SeedTask]) -> None:
        self._sites = {site.key: site for site in Site.objects.all()}
        self._parents = {seed.task_id for seed in seeds}
        self._duplicates = _open_duplicate_filter(run_id)

    def __call__(self, task: ProposedTask) -> str:
        """Return the proposal's reason to be left out, or ""."""
        fault = _find_fault(task, self._sites, self._parents)
        return fault or self._duplicates.find_reason(task)

    def knows_origin(self, task: ProposedTask) -> bool:
        """Return whether there is a row that the proposal can belong to."""
        return task.parent_id in self._parents and task.site in self._sites


def _open_duplicate_filter(run_id: int) -> DuplicateFilter:
    """Collect the tasks that the run may use: without those that other runs evolved.

    Otherwise a run's evolved tasks would depend on earlier runs.
    """
    others = Q(origin=Task.Origin.EVOLVED) & ~Q(born_in__run_id=run_id)
    rows = Task.objects.exclude(others).exclude(split=Task.Split.TEST)
    texts = rows.values_list("digest", "site__key", "instruction")
    known, instructions = set(), []
    for digest, site, instruction in texts.iterator(chunk_size=2000):
        known.add(digest)
        instructions.append((site, instruction))
    return DuplicateFilter(
        leaks=open_leak_gate(), known=known, instructions=instructions
    )


def _find_fault(task: ProposedTask, sites: dict[str, Site], parents: set[int]) -> str:
    """Say what is wrong with a generator's task: untrusted text until checked."""
    site = sites.get(task.site)
    if site is None or task.parent_id not in parents:
        return Sentence("unknown_origin")
    origins = tuple(filter(None, (site.placeholder, site.base_url)))
    if not task.start_url.startswith(origins):
        return Sentence("starts_outside")
    if len(task.start_url) > 500 or len(task.template_key) > MAX_TEMPLATE_KEY:
        return Sentence("overlong_field")
    return find_text_fault(task.instruction)


def _report(phase_id: int, done: int, total: int) -> None:
    publish(phase_id, ProgressEvent(stage="evolving", done=done, total=total))
