"""Runs and phases: opened, moved, stopped, resumed. The only writer of `Phase`.

Every move is a compare and swap on the old status, so a job that runs twice or late
changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from curriculum.errors import PhaseConflict, PhaseStateError, WorkbenchError
from curriculum.events import StatusEvent, publish
from curriculum.models import Phase, Run, Task
from curriculum.rules.checkpoints import check_checkpoint
from curriculum.rules.served_policies import check_reward_model, check_served
from curriculum.rules.vocabularies import check_same_vocabulary
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pools import usable_tasks
from curriculum.selectors.waits import may_call_endpoint
from curriculum.services.reviewing.team import check_team
from curriculum.services.sites import check_sites
from curriculum.texts.sentences import Sentence

Status = Phase.Status
MAX_NAME_LENGTH = 100
NO_WORK: dict[str, Any] = {
    "work_token": "",
    "work_owner": "",
    "work_leased_until": None,
    "work_attempt": 0,
    "woken_at": None,
    "waits_until": None,
}


@transaction.atomic
def create_run(
    *,
    name: str,
    config: Mapping[str, Any],
    seed: int,
    auto_accept: bool = False,
    created_by: User | None = None,
    policy_uri: str = "starter/policy",
    critic_uri: str = "starter/critic",
    orm_uri: str = "starter/orm",
    served_uri: str = "",
    notes: str = "",
    parent: Run | None = None,
) -> Run:
    """Create a run. `config` comes from `RunConfig.to_json`, which has checked it.

    Raises:
        CheckpointError: A starting checkpoint cannot be read, the critic reads another
            vocabulary than the policy, the reward model is served, or the served
            policy could not be trained.
        WorkbenchError: The name is empty or taken, a site is unknown, or each task
            would need more reviews than there are people.
    """
    name = clean_run_name(name)
    if not 0 <= seed < 2**63:
        raise WorkbenchError(gettext("The seed must be a whole number of at least 0."))
    for uri in (policy_uri, critic_uri, orm_uri):
        check_checkpoint(uri)
    check_same_vocabulary(policy_uri, critic_uri)
    check_reward_model(policy_uri, orm_uri)
    if served_uri:
        check_served(served_uri, policy_uri, config.get("rollout", {}))
    check_sites(config.get("curriculum", {}).get("sites", ()))
    check_team(config.get("review", {}))
    require_free_name(name)
    return Run.objects.create(
        name=name,
        config=dict(config),
        seed=seed,
        auto_accept=auto_accept,
        policy_uri=policy_uri,
        critic_uri=critic_uri,
        orm_uri=orm_uri,
        served_uri=served_uri,
        notes=notes,
        parent=parent,
        created_by=created_by,
    )


def clean_run_name(name: str) -> str:
    """Return the name without blanks around it.

    Raises:
        WorkbenchError: It is empty or too long.
    """
    name = name.strip()
    if not name or len(name) > MAX_NAME_LENGTH:
        raise WorkbenchError(gettext("A run needs a name of 1 to 100 characters."))
    return name


def require_free_name(name: str) -> None:
    """Refuse the name of a run that is there.

    Raises:
        WorkbenchError: There is one.
    """
    if Run.objects.filter(name=name).exists():
        raise WorkbenchError(
            gettext("There is already a run called %(name)r.") % {"name": name}
        )


@transaction.atomic
def open_phase(*, run_id: int, created_by: User | None = None) -> Phase:
    """Open the run's next phase with the weights that the last one produced.

    The phase loop chooses its tasks. The caller enqueues `advance_phase`.

    Raises:
        PhaseConflict: The run has an open phase; the error has its id.
        CheckpointError: The weights it would start from cannot be read.
    """
    run = Run.objects.get(pk=run_id)
    last = run.phases.order_by("number").last()
    if last is not None and last.is_open:
        raise PhaseConflict(
            gettext("Phase %(number)s of %(name)s is still open (%(status)s).")
            % {"number": last.number, "name": run.name, "status": last.status},
            last.pk,
        )
    if not usable_tasks(run, Task.Split.TRAIN).exists():
        raise WorkbenchError(
            gettext(
                "There are no training tasks on the run's sites yet; load or "
                "import some, or give the sites an address."
            )
        )
    weights = {
        "policy_uri": (last.next_policy_uri if last else "") or run.policy_uri,
        "critic_uri": (last.next_critic_uri if last else "") or run.critic_uri,
        "orm_uri": (last.next_orm_uri or last.orm_uri if last else "") or run.orm_uri,
    }
    for uri in weights.values():
        check_checkpoint(uri)
    check_reward_model(weights["policy_uri"], weights["orm_uri"])
    served_uri = (last.next_served_uri if last else "") or run.served_uri
    try:
        with transaction.atomic():
            phase = Phase.objects.create(
                run=run,
                number=last.number + 1 if last else 1,
                created_by=created_by,
                stage_started_at=timezone.now(),
                served_uri=served_uri,
                **weights,
            )
    except IntegrityError:
        winner = run.phases.exclude(status=Status.CLOSED).first()
        raise PhaseConflict(
            gettext("Somebody else has just opened a phase of %(name)s.")
            % {"name": run.name},
            winner.pk if winner else None,
        ) from None
    publish(phase.pk, StatusEvent(status=Status.PLANNED, before=""))
    return phase


@transaction.atomic
def freeze_tasks(*, phase_id: int, task_ids: Iterable[int]) -> None:
    """Store the phase's tasks; only for a planned phase without tasks."""
    phase = Phase.objects.get(pk=phase_id)
    if phase.status == Status.PLANNED and not phase.tasks.exists():
        phase.tasks.set(task_ids)


@transaction.atomic
def move_phase(
    *,
    phase_id: int,
    before: str,
    after: str,
    reason: str = "",
    **fields: object,
) -> bool:
    """Move from one status to the next; False when another job already did."""
    now = timezone.now()
    began = {"stage_started_at": now, "progressed_at": now, "progress_mark": ""}
    changes = {**NO_WORK, **began, "status": after, **fields}
    if after == Status.CLOSED:
        changes["ended_at"] = now
    moved = Phase.objects.filter(pk=phase_id, status=before).update(**changes)
    if moved:
        publish(phase_id, StatusEvent(status=after, before=before, reason=reason))
    return bool(moved)


def fail_phase(*, phase_id: int, stage: str, reason: str) -> bool:
    """Mark the stage as failed and keep the reason; `resume_phase` tries it again."""
    return move_phase(
        phase_id=phase_id,
        before=stage,
        after=Status.FAILED,
        reason=reason,
        resume_status=stage,
        failure_reason=reason,
    )


def pause_phase(*, phase_id: int, stage: str, reason: str) -> bool:
    """Pause the stage and keep what a person has to do before `resume_phase`."""
    return move_phase(
        phase_id=phase_id,
        before=stage,
        after=Status.STOPPED,
        reason=reason,
        resume_status=stage,
        failure_reason=reason,
    )


@transaction.atomic
def stop_phase(*, phase_id: int, by: User | None) -> Phase:
    """Stop a moving phase; its jobs notice within a heartbeat and give work back.

    Raises:
        PhaseStateError: It is not moving.
    """
    phase = Phase.objects.get(pk=phase_id)
    if not phase.is_moving or not move_phase(
        phase_id=phase_id,
        before=phase.status,
        after=Status.STOPPED,
        reason=_name_doer("stopped", by),
        resume_status=phase.status,
    ):
        raise PhaseStateError(
            gettext("%(phase)s is %(status)s; it cannot be stopped.")
            % {"phase": phase, "status": phase.get_status_display().lower()}
        )
    phase.refresh_from_db()
    return phase


@transaction.atomic
def resume_phase(*, phase_id: int, by: User | None) -> Phase:
    """Resume a stopped or failed phase where it left off. The caller wakes the loop.

    Raises:
        PhaseStateError: It is neither stopped nor failed.
    """
    phase = Phase.objects.get(pk=phase_id)
    waiting = phase.status in (Status.STOPPED, Status.FAILED)
    if not waiting or not move_phase(
        phase_id=phase_id,
        before=phase.status,
        after=phase.resume_status or Status.PLANNED,
        reason=_name_doer("resumed", by),
        resume_status="",
        failure_reason="",
    ):
        raise PhaseStateError(
            gettext("%(phase)s is %(status)s; nothing to resume.")
            % {"phase": phase, "status": phase.get_status_display().lower()}
        )
    phase.refresh_from_db()
    return phase


def _name_doer(code: str, by: User | None) -> Sentence:
    if by is None:
        return Sentence(f"{code}_itself")
    return Sentence(code, by=by.get_username())


def claim_wakeup(*, phase_id: int, status: str, after_s: float) -> bool:
    """Return True if the stage may be enqueued now; at most once per interval."""
    now = timezone.now()
    interval = timedelta(seconds=after_s)
    # A time in the future was written by a wrong clock.
    woken_lately = Q(
        woken_at__isnull=False,
        woken_at__gt=now - interval,
        woken_at__lt=now + interval,
    )
    due = Phase.objects.filter(
        ~woken_lately, may_call_endpoint(), pk=phase_id, status=status
    )
    return bool(due.update(woken_at=now))


def forget_wakeup(*, phase_ids: Iterable[int]) -> None:
    """Let the next sweep enqueue at once, because work was given back."""
    Phase.objects.filter(pk__in=set(phase_ids)).update(woken_at=None)


def wait_for_endpoint(*, phase_id: int, wait_s: float) -> None:
    """Call no model for this phase for `wait_s` seconds: its endpoint asks for that.

    A full disk is given time in the same way.
    A wait that lasts longer stays; the end of the stage ends each.
    """
    until = database_now() + timedelta(seconds=wait_s)
    shorter = Q(waits_until__isnull=True) | Q(waits_until__lt=until)
    Phase.objects.filter(shorter, pk=phase_id).update(waits_until=until)


def set_next_weights(*, phase_id: int, policy_uri: str, critic_uri: str) -> bool:
    """Store what the phase's training produced."""
    changed = Phase.objects.filter(pk=phase_id, status=Status.TRAINING).update(
        next_policy_uri=policy_uri, next_critic_uri=critic_uri
    )
    return bool(changed)


def set_next_served(*, phase_id: int, uri: str) -> bool:
    """Store which served model acts with the weights that the phase has trained."""
    changed = Phase.objects.filter(pk=phase_id, status=Status.HANDING_OVER).update(
        next_served_uri=uri
    )
    return bool(changed)


@transaction.atomic
def set_next_orm(*, phase_id: int, uri: str) -> None:
    """Choose the reward model of the phase that comes after a run's newest one.

    Raises:
        PhaseStateError: A later phase has begun, with its own reward model.
        CheckpointError: The address has no readable checkpoint, or is of a served
            model.
    """
    check_checkpoint(uri)
    phase = Phase.objects.select_for_update().get(pk=phase_id)
    check_reward_model(phase.policy_uri, uri)
    if Phase.objects.filter(run_id=phase.run_id, number__gt=phase.number).exists():
        raise PhaseStateError(gettext("A later phase of this run has already begun."))
    Phase.objects.filter(pk=phase_id).update(next_orm_uri=uri)
