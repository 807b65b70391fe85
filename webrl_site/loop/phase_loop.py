"""The loop of a phase, from planned to closed. Read this first.

`next_stage` is pure: a status and some facts give a status. `advance` gathers the
facts, moves the row by compare and swap, prepares the new stage's work, and enqueues
the stage's jobs. Calling it twice, or from two places, changes nothing more.
"""

from __future__ import annotations

import dataclasses
import logging
import random
from collections.abc import Mapping

from django.db import transaction

from curriculum import services as curriculum
from curriculum.errors import EndpointDown, PhaseConflict, WorkbenchError
from curriculum.events import tell_phase
from curriculum.evolution.mixture import (
    count_evolved,
    draw_weighted,
    rate_learnability,
    share_by_weight,
    take_turns,
    weigh_seed,
)
from curriculum.models import Phase, Task
from curriculum.object_store.watch import is_store_down
from curriculum.phase_config import CurriculumConfig
from curriculum.rules.checkpoints import is_served
from curriculum.rules.disk_room import is_disk_full
from curriculum.selectors.pools import newly_accepted, usable_tasks
from curriculum.texts.sentences import Sentence
from rollouts import services as rollouts
from rollouts.models import STAGE_PURPOSES, Trajectory
from rollouts.selectors import loop as episodes
from rollouts.selectors.loop import EpisodeCounts
from training import services as training
from training.selectors.loop import (
    list_solved_task_ids,
    map_first_values,
    tally_templates,
)
from webrl_site.loop import wakeups
from webrl_site.loop.reproducibility import record_phase
from webrl_site.server.workers import has_worker_at

logger = logging.getLogger(__name__)

Status = Phase.Status
NOTHING = EpisodeCounts()
# Moves that one call makes at most: more than there are stages.
MAX_MOVES = 16
# If a stage's worker dies this often, the stage is assumed to kill it.
STAGE_ATTEMPTS = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Facts:
    """Everything that determines a phase's next stage."""

    has_tasks: bool = True
    can_train: bool = True
    needs_baseline: bool = False
    baseline: EpisodeCounts = NOTHING
    collected: EpisodeCounts = NOTHING
    evaluated: EpisodeCounts = NOTHING
    has_next_policy: bool = False
    is_handed_over: bool = True
    uses_curriculum: bool = True
    is_evolved: bool = False
    unvalued: int = 0
    waiting: int = 0


def next_stage(status: str, facts: Facts) -> str:
    """Return the status that follows from the facts; the same status means wait."""
    match status:
        case Status.PLANNED if not facts.has_tasks:
            return Status.FAILED
        case Status.PLANNED if facts.needs_baseline:
            return Status.BASELINE
        case Status.PLANNED:
            return _after_baseline(facts)
        case Status.BASELINE:
            return _after_rollouts(status, facts.baseline, _after_baseline(facts))
        case Status.COLLECTING:
            return _after_rollouts(status, facts.collected, Status.SCORING)
        case Status.SCORING if not facts.collected.unscored:
            return Status.TRAINING
        case Status.TRAINING if facts.has_next_policy:
            return _after_training(facts)
        case Status.HANDING_OVER if facts.is_handed_over:
            return Status.EVALUATING
        case Status.EVALUATING:
            return _after_rollouts(status, facts.evaluated, Status.EVOLVING)
        case Status.EVOLVING if not facts.uses_curriculum:
            return Status.CLOSED
        case Status.EVOLVING if facts.is_evolved and not facts.unvalued:
            return Status.REVIEW
        case Status.REVIEW if not facts.waiting:
            return Status.CLOSED
    return status


def _after_baseline(facts: Facts) -> str:
    """Skip collecting if nothing could be trained on the episodes."""
    return Status.COLLECTING if facts.can_train else Status.CLOSED


def _after_training(facts: Facts) -> str:
    """Publish first if a server acts, since it has to load the new weights."""
    return Status.EVALUATING if facts.is_handed_over else Status.HANDING_OVER


def _after_rollouts(status: str, counts: EpisodeCounts, after: str) -> str:
    """Wait for the last episode; fail if all of them were broken."""
    if counts.left:
        return status
    return Status.FAILED if counts.total and not counts.finished else after


def gather_facts(phase: Phase) -> Facts:
    """Read from the database what `next_stage` needs for this phase's status."""
    counts = episodes.count_episodes(phase.pk)
    born = Task.objects.filter(born_in=phase)
    planned = phase.status == Status.PLANNED
    return Facts(
        has_tasks=not planned or phase.tasks.exists(),
        can_train=not is_served(phase.policy_uri),
        needs_baseline=planned and _needs_baseline(phase),
        baseline=counts[Trajectory.Purpose.BASELINE],
        collected=counts[Trajectory.Purpose.COLLECT],
        evaluated=counts[Trajectory.Purpose.EVALUATE],
        has_next_policy=bool(phase.next_policy_uri),
        is_handed_over=not phase.served_uri or bool(phase.next_served_uri),
        uses_curriculum=read_config(phase).use_curriculum,
        is_evolved=phase.evolved_at is not None,
        unvalued=born.filter(status=Task.Status.PROPOSED).count(),
        waiting=born.filter(status__in=Task.UNDECIDED).count(),
    )


def _needs_baseline(phase: Phase) -> bool:
    """Return whether the collecting policy has not been measured in this run yet."""
    tests = usable_tasks(phase.run, Task.Split.TEST)
    return tests.exists() and not episodes.was_evaluated(phase.run_id, phase.policy_uri)


def read_config(phase: Phase) -> CurriculumConfig:
    """Return the run's curriculum settings, which were validated at its creation."""
    return CurriculumConfig(**phase.run.config.get("curriculum", {}))


def advance(phase_id: int) -> str:
    """Move the phase as far as the facts allow, enqueue its jobs, return its status.

    Opens the run's next phase if the configuration has several in a row. During an
    outage the phase stays where it is, and the sweep tries again.
    """
    for _ in range(MAX_MOVES):
        phase = Phase.objects.select_related("run").filter(pk=phase_id).first()
        if phase is None or not phase.is_moving:
            return phase.status if phase else ""
        if phase.status == Status.PLANNED:
            choose_tasks(phase)
        facts = gather_facts(phase)
        stage = next_stage(phase.status, facts)
        if stage == phase.status:
            _enqueue_stage(phase, facts)
            return stage
        # Each attempt to reach it may block the worker of all phases for long.
        if is_store_down():
            return phase.status
        try:
            following = _move(phase, stage)
        except EndpointDown as error:
            logger.warning("Phase %s waits: %s", phase_id, error.message)
            return phase.status
        if following is not None:
            wakeups.enqueue_advance(following.pk)
    return stage


def _move(phase: Phase, stage: str) -> Phase | None:
    """Move one stage on, with its work prepared, or fail with a reason.

    Raises:
        EndpointDown: What the stage needs does not answer; nothing has changed.
    """
    if stage == Status.FAILED:
        _fail_stage(phase)
        return None
    record_phase(phase=phase, stage=stage)
    try:
        _verify_weights(phase, stage)
        with transaction.atomic():
            return _enter(phase, stage)
    except EndpointDown:
        raise
    except WorkbenchError as error:
        curriculum.fail_phase(
            phase_id=phase.pk, stage=phase.status, reason=error.message
        )
        return None


def _verify_weights(phase: Phase, stage: str) -> None:
    """Check what will act; outside the transaction, because a store may be slow."""
    if stage in STAGE_PURPOSES:
        is_new = stage == Status.EVALUATING
        uri = phase.next_policy_uri if is_new else phase.policy_uri
        training.verify_checkpoint(uri=uri)


def _enter(phase: Phase, stage: str) -> Phase | None:
    """Move and prepare in one transaction; returns the next phase if one opens."""
    in_review = phase.status == Status.REVIEW
    # A decision may have been taken back since the facts were gathered.
    if in_review and not curriculum.lock_if_decided(phase_id=phase.pk):
        return None
    if not curriculum.move_phase(phase_id=phase.pk, before=phase.status, after=stage):
        return None
    if stage in STAGE_PURPOSES:
        rollouts.queue_episodes(phase=phase, purpose=STAGE_PURPOSES[stage])
    if stage == Status.REVIEW and phase.run.auto_accept:
        curriculum.accept_shortlisted(phase_id=phase.pk)
    if stage != Status.CLOSED:
        return None
    if is_served(phase.policy_uri):
        tell_phase(phase.pk, "only_measured", uri=phase.policy_uri)
    elif read_config(phase).phases_in_a_row > phase.number:
        return _open_following(phase)
    return None


def _open_following(phase: Phase) -> Phase | None:
    """Open the run's next phase; an obstacle is recorded in this one.

    Raises:
        EndpointDown: Its weights cannot be read at present; to be tried again.
    """
    try:
        with transaction.atomic():
            return curriculum.open_phase(run_id=phase.run_id)
    except EndpointDown:
        raise
    except PhaseConflict:
        return None
    except WorkbenchError as error:
        tell_phase(phase.pk, "not_opened", reason=error.message)
        return None


def _fail_stage(phase: Phase) -> None:
    """Fail with a reason, and queue broken episodes again for a resume."""
    if phase.status == Status.PLANNED:
        reason = Sentence("no_tasks")
    else:
        purpose = STAGE_PURPOSES[phase.status]
        reasons = episodes.list_failure_reasons(phase.pk, purpose)
        reason = Sentence("no_episode", reasons=" / ".join(reasons))
        rollouts.requeue_failed(phase_id=phase.pk, purpose=purpose)
    curriculum.fail_phase(phase_id=phase.pk, stage=phase.status, reason=reason)


def choose_tasks(phase: Phase) -> None:
    """Freeze the tasks that the phase attempts.

    First come the tasks accepted from the phase before, then seed tasks. The run's seed
    decides their order: those not yet solved in this run come first, templates take
    turns or have shares by learnability, or tasks in the critic's band come more often.
    """
    if phase.tasks.exists():
        return
    config = read_config(phase)
    chosen = list(
        newly_accepted(phase.run_id, phase.number)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    draw = random.Random(f"{phase.run.seed}/{phase.number}/tasks")
    draw.shuffle(chosen)
    wanted = config.tasks_per_phase
    chosen = chosen[: count_evolved(wanted, len(chosen), config.evolved_share)]
    templates = dict(
        usable_tasks(phase.run, Task.Split.TRAIN)
        .order_by("pk")
        .values_list("pk", "template_key")
    )
    chosen += _order_seeds(phase, config, templates, draw)[: wanted - len(chosen)]
    curriculum.freeze_tasks(phase_id=phase.pk, task_ids=chosen)


def _order_seeds(
    phase: Phase,
    config: CurriculumConfig,
    templates: Mapping[int, str],
    draw: random.Random,
) -> list[int]:
    """Order the seed tasks; `templates` has the key of each task's template."""
    seeds = list(templates)
    if config.seed_order == "band":
        weights = {
            task_id: weigh_seed(value, config.value_low, config.value_high)
            for task_id, value in map_first_values(phase).items()
        }
        return draw_weighted(seeds, weights, draw)
    draw.shuffle(seeds)
    solved = list_solved_task_ids(phase)
    ordered = sorted(seeds, key=lambda task_id: task_id in solved)
    if config.seed_order == "even":
        return take_turns(ordered, templates)
    if config.seed_order == "learnable":
        tallies = tally_templates(phase)
        shares = {
            key: rate_learnability(*tallies.get(key, (0, 0)))
            for key in templates.values()
        }
        return share_by_weight(ordered, templates, shares)
    return ordered


def _has_others(phase: Phase, counts: EpisodeCounts | None) -> bool:
    """Say whether a worker may succeed where others died as they loaded the policy.

    Those that load it at this moment are counted as well until they are done.
    """
    if counts is None:
        return False
    return counts.running > 0 or has_worker_at(phase.pk)


def _enqueue_stage(phase: Phase, facts: Facts) -> None:
    """Enqueue the stage's jobs, unless a worker has them or a wake-up is recent."""
    if phase.work_leased_until is not None or is_disk_full():
        return
    counts = {
        Status.BASELINE: facts.baseline,
        Status.COLLECTING: facts.collected,
        Status.EVALUATING: facts.evaluated,
    }.get(Status(phase.status))
    if phase.work_attempt >= STAGE_ATTEMPTS and not _has_others(phase, counts):
        reason = Sentence("worker_died", count=STAGE_ATTEMPTS)
        curriculum.fail_phase(phase_id=phase.pk, stage=phase.status, reason=reason)
        return
    if phase.status == Status.REVIEW or (counts is not None and not counts.queued):
        return
    after_s = wakeups.find_interval(phase)
    if curriculum.claim_wakeup(phase_id=phase.pk, status=phase.status, after_s=after_s):
        wakeups.enqueue_stage(phase)
