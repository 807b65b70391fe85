"""Failed tasks in, proposed tasks out: the generator and the first filters."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from django.conf import settings
from django.db.models import Q
from django.utils.module_loading import import_string

from curriculum.errors import EndpointDown, GeneratorError
from curriculum.events import ProgressEvent, publish
from curriculum.evolution.filters import (
    DuplicateFilter,
    find_text_fault,
    spread_over_parents,
)
from curriculum.evolution.openai_generator import GeneratorFailed, GeneratorUnavailable
from curriculum.evolution.types import Closable, ProposedTask, SeedTask, TaskGenerator
from curriculum.models import Phase, Site, Task
from curriculum.phase_config import CurriculumConfig
from curriculum.selectors.held_out import open_leak_gate
from curriculum.services.proposals import Verdict, record_proposals
from curriculum.services.stage_lease import Heartbeat, working_on
from curriculum.texts.sentences import Sentence


def evolve_phase(*, phase_id: int, seed_task_ids: Sequence[int], owner: str) -> int:
    """Propose new tasks from failed ones; returns how many passed the filters.

    Does nothing when the phase's tasks are evolved already, or another job does it.

    Raises:
        EndpointDown: The generator's endpoint does not answer at present.
        GeneratorError: The generator gave no usable answer.
    """
    stage = Phase.Status.EVOLVING
    with working_on(phase_id=phase_id, stage=stage, owner=owner) as heartbeat:
        if heartbeat is None:
            return 0
        phase = Phase.objects.select_related("run").get(pk=phase_id)
        if phase.evolved_at is not None:
            return 0
        config = CurriculumConfig(**phase.run.config.get("curriculum", {}))
        seeds = read_seeds(seed_task_ids)
        parents = {seed.task_id for seed in seeds}
        duplicates = _open_duplicate_filter(phase.run_id)
        try:
            with _open_generator() as generator:
                proposals = _propose(generator, seeds, config, phase)
                verdicts = _judge(generator, proposals, heartbeat, parents, duplicates)
        except GeneratorUnavailable as error:
            raise EndpointDown(str(error), wait_s=error.wait_s) from error
        except GeneratorFailed as error:
            raise GeneratorError(str(error)) from error
        if heartbeat.must_stop:
            return 0
        return record_proposals(lease=heartbeat.lease, verdicts=verdicts)


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
    config: CurriculumConfig,
    phase: Phase,
) -> list[ProposedTask]:
    count = config.proposals_per_phase
    if not seeds or not count:
        return []
    seed = phase.run.seed * 1009 + phase.number
    proposals = generator.propose(seeds, count=count, seed=seed)
    if not isinstance(proposals, list):
        raise GeneratorError("The generator did not return a list of tasks.")
    return spread_over_parents(proposals)[:count]


def _judge(
    generator: TaskGenerator,
    proposals: Sequence[ProposedTask],
    heartbeat: Heartbeat,
    parents: set[int],
    duplicates: DuplicateFilter,
) -> list[Verdict]:
    """Return each proposal's reason to be left out, or "", and its feasibility."""
    sites = {site.key: site for site in Site.objects.all()}
    verdicts: list[Verdict] = []
    for number, task in enumerate(proposals):
        if heartbeat.must_stop:
            break
        if number % 25 == 0:
            _report(heartbeat.lease.phase_id, number, len(proposals))
        reason = _find_fault(task, sites, parents) or duplicates.find_reason(task)
        feasibility = None if reason else generator.judge_feasibility(task)
        if feasibility is not None and not feasibility.is_feasible:
            reason = Sentence("infeasible", reason=feasibility.reason)
        if task.parent_id in parents and task.site in sites:
            verdicts.append((task, reason, feasibility))
    _report(heartbeat.lease.phase_id, len(proposals), len(proposals))
    return verdicts


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
    if len(task.start_url) > 500 or len(task.template_key) > 80:
        return Sentence("overlong_field")
    return find_text_fault(task.instruction)


def _report(phase_id: int, done: int, total: int) -> None:
    publish(phase_id, ProgressEvent(stage="evolving", done=done, total=total))
