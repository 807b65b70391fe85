"""What happened in episodes, written in batches and fenced by attempt."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from curriculum.events import EpisodeEvent, publish
from curriculum.services.phases import wait_for_endpoint
from curriculum.texts.sentences import Sentence, code_of
from rollouts.browser.types import (
    Attempt,
    CheckResult,
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRecord,
    RefusedAttempt,
    StepRecord,
    attempt_of,
)
from rollouts.live.events import notify_episodes
from rollouts.models import Step, Trajectory
from rollouts.services.error_types import find_error_type
from rollouts.services.pages import KeptPage, KeptRecord, drop_traces, keep_pages
from rollouts.services.site_breaker import note_endings
from rollouts.services.text import clean, clean_all, clean_reason

Status = Trajectory.Status
# YES is likelier than NO.
SUCCESS_THRESHOLD = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class SaveReport:
    """What a batch changed; `lost` attempts no longer belong to their episodes."""

    ended: frozenset[Attempt] = frozenset()
    lost: frozenset[Attempt] = frozenset()


def save_records(
    *, records: Sequence[EpisodeRecord], lease_s: float, max_retries: int
) -> SaveReport:
    """Save a batch in one transaction; saving it twice changes nothing more.

    Files come first: a row never names a file that is not there.
    """
    pairs = keep_pages(records)
    with transaction.atomic():
        report = _save(pairs, lease_s, max_retries)
    drop_traces(records)
    return report


def _save(pairs: Sequence[KeptRecord], lease_s: float, max_retries: int) -> SaveReport:
    ids = {record.trajectory_id for record, _ in pairs}
    rows = {
        row.pk: row
        for row in Trajectory.objects.select_for_update().filter(
            pk__in=ids, status=Status.RUNNING
        )
    }
    ours = [
        (record, page)
        for record, page in pairs
        if record.trajectory_id in rows
        and rows[record.trajectory_id].attempt == record.attempt
    ]
    _append_steps(ours)
    held = {record.trajectory_id for record, _ in ours}
    Trajectory.objects.filter(pk__in=held).update(
        leased_until=timezone.now() + timedelta(seconds=lease_s)
    )
    for record, page in ours:
        row = rows[record.trajectory_id]
        if isinstance(record, EpisodeEnd):
            _finish(row, record, page, max_retries)
        elif isinstance(record, EpisodeFailure):
            _fail(row, record, max_retries, page.trace)
    note_endings([record for record, _ in ours])
    notify_episodes(held)
    lost = {attempt_of(r) for r, _ in pairs} - {attempt_of(r) for r, _ in ours}
    ended = {attempt_of(r) for r, _ in ours if not isinstance(r, StepRecord)}
    return SaveReport(ended=frozenset(ended), lost=frozenset(lost))


def append_step(*, record: StepRecord, lease_s: float) -> SaveReport:
    """Save one step: a batch of one."""
    return save_records(records=[record], lease_s=lease_s, max_retries=0)


def finish_trajectory(
    *, record: EpisodeEnd, lease_s: float, max_retries: int
) -> SaveReport:
    """Save how an episode ended: a batch of one."""
    return save_records(records=[record], lease_s=lease_s, max_retries=max_retries)


def fail_trajectory(
    *, record: EpisodeFailure, lease_s: float, max_retries: int
) -> SaveReport:
    """Queue a broken episode again, or mark it as failed after its last retry."""
    return save_records(records=[record], lease_s=lease_s, max_retries=max_retries)


def _append_steps(pairs: Sequence[KeptRecord]) -> None:
    steps = [
        _build_step(record, page)
        for record, page in pairs
        if isinstance(record, StepRecord)
    ]
    Step.objects.bulk_create(steps, batch_size=200, ignore_conflicts=True)


def _build_step(record: StepRecord, page: KeptPage) -> Step:
    action = record.action
    parsed: dict[str, Any] = {
        "name": action.name,
        "element": action.element,
        "argument": action.argument,
    }
    if action.repairs:
        parsed["repairs"] = list(action.repairs)
    return Step(
        trajectory_id=record.trajectory_id,
        attempt=record.attempt,
        index=record.index,
        url=clean(record.observation.url),
        title=clean(record.observation.title),
        observation=clean(record.observation.text),
        output=clean(record.output),
        action=clean_all(parsed) if action.name else {},
        error=clean(record.error),
        target_box=list(record.target_box or ()),
        snapshot=page.snapshot,
        screenshot=page.screenshot,
        timing=record.timing,
        log_probability=record.log_probability,
        token_count=record.token_count,
        token_ids=list(record.token_ids),
        token_log_probabilities=list(record.token_log_probabilities),
        prompt_token_count=record.prompt_token_count,
    )


def _finish(
    row: Trajectory, record: EpisodeEnd, page: KeptPage, max_retries: int
) -> None:
    """Close an episode whose steps are 0..n-1 without a gap; fail it otherwise."""
    steps = Step.objects.filter(trajectory=row, attempt=record.attempt)
    found = steps.aggregate(count=Count("pk"), last=Max("index"))
    if found["count"] != (0 if found["last"] is None else found["last"] + 1):
        reason = Sentence("steps_missing")
        failure = EpisodeFailure(row.pk, record.attempt, "harness", reason)
        _fail(row, failure, max_retries, page.trace)
        return
    _end(
        row,
        Status.FINISHED,
        ended_by=record.ended_by,
        answer=clean(record.answer),
        step_count=found["count"],
        final_observation=clean(record.final.text),
        final_url=clean(record.final.url),
        final_snapshot=page.snapshot,
        final_screenshot=page.screenshot,
        trace=page.trace,
        refused_attempts=_store_refused(record.refused),
        outcome=record.outcome,
        outcome_checks=[_store_check(check) for check in record.checks],
        error_type=(
            find_error_type(row.pk, record.attempt, record.ended_by)
            if record.outcome is False
            else ""
        ),
        error_type_by=None,
    )
    _tell(row, record.outcome)


def _store_refused(refused: Sequence[RefusedAttempt]) -> Any:
    return clean_all([dataclasses.asdict(attempt) for attempt in refused])


def _store_check(check: CheckResult) -> dict[str, Any]:
    stored: dict[str, Any] = clean_all(dataclasses.asdict(check))
    return {**stored, **clean_all(code_of(check.why))}


def _fail(
    row: Trajectory, record: EpisodeFailure, max_retries: int, trace: str
) -> None:
    why: dict[str, Any] = {
        "trace": trace,
        "refused_attempts": _store_refused(record.refused),
        "failure_class": record.failure_class,
        "failure_reason": clean_reason(record.reason),
    }
    if record.failure_class == "endpoint":
        # The model is down, not the episode: it waits until the model answers.
        why["outages"] = row.outages + 1
        if record.wait_s:
            wait_for_endpoint(phase_id=row.phase_id, wait_s=record.wait_s)
    elif row.failures >= max_retries:
        _end(row, Status.FAILED, **why)
        _tell(row, None)
        return
    else:
        why["failures"] = row.failures + 1
    Trajectory.objects.filter(pk=row.pk, attempt=record.attempt).update(
        status=Status.QUEUED, lease_owner="", leased_until=None, **why
    )


def _tell(row: Trajectory, outcome: bool | None) -> None:
    # A person may try a task by hand long after its phase has ended.
    if row.purpose != Trajectory.Purpose.BY_HAND:
        publish(row.phase_id, EpisodeEvent(trajectory_id=row.pk, outcome=outcome))


def _end(row: Trajectory, status: str, **fields: object) -> None:
    Trajectory.objects.filter(
        pk=row.pk, attempt=row.attempt, status=Status.RUNNING
    ).update(status=status, ended_at=timezone.now(), leased_until=None, **fields)


@transaction.atomic
def record_scores(*, probabilities: Mapping[int, float]) -> None:
    """Write the reward model's P(YES) and the reward it gives: 1 above one half."""
    rows = [
        Trajectory(
            pk=trajectory_id,
            success_probability=min(1.0, max(0.0, probability)),
            reward=float(probability > SUCCESS_THRESHOLD),
        )
        for trajectory_id, probability in probabilities.items()
    ]
    Trajectory.objects.bulk_update(
        rows, ["success_probability", "reward"], batch_size=200
    )
