"""Hands a phase's trained weights over to the server that acts with them.

The row is authoritative: what was handed over to which server, or why that failed. A
job that runs a second time finds what the first has done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from curriculum.errors import PhasePaused, PhaseStateError
from curriculum.events import tell_phase
from curriculum.models import Phase
from curriculum.rules.checkpoints import (
    ADAPTER,
    has_adapter,
    resolve_adapter,
    resolve_checkpoint,
)
from curriculum.rules.served_policies import check_served
from curriculum.services.phases import resume_phase, set_next_served
from curriculum.services.stage_lease import Heartbeat, working_on, writing_under
from curriculum.texts.sentences import Sentence
from rollouts.models import STAGE_PURPOSES, HandOver
from rollouts.serving.acting import digest_checkpoint
from rollouts.serving.endpoints import find_endpoint
from rollouts.serving.types import Endpoint, HandOverFailed, HandOverStopped, Weights
from rollouts.serving.ways import hand_over

State = HandOver.State
STAGE = Phase.Status.HANDING_OVER
RESTING = (Phase.Status.STOPPED, Phase.Status.FAILED)
MAX_NAME_LENGTH = 32
HandOverWay = Callable[[str, Endpoint, Weights, Callable[[], bool]], str]


def hand_over_weights(
    *, phase_id: int, owner: str, give: HandOverWay = hand_over
) -> bool:
    """Hand the phase's weights over to its server; True when it acts with them.

    May be called twice, and again after a kill.

    Raises:
        PhasePaused: A person has to do something; the message says what.
    """
    with working_on(phase_id=phase_id, stage=STAGE, owner=owner) as heartbeat:
        if heartbeat is None:
            return False
        phase = Phase.objects.select_related("run").get(pk=phase_id)
        if phase.next_served_uri:
            return True
        endpoint = find_endpoint(phase.served_uri)
        weights = describe_weights(phase, phase.next_policy_uri, endpoint)
        row = _begin(phase, phase.next_policy_uri, weights.digest, endpoint.hand_over)
        if endpoint.hand_over == "by_hand":
            _fail(row, _ask_person(weights))
        try:
            served_uri = give(
                phase.served_uri, endpoint, weights, lambda: heartbeat.must_stop
            )
        except HandOverStopped:
            return False
        except HandOverFailed as error:
            figures = {"uri": row.policy_uri, "served": phase.served_uri}
            why = str(error)
            _fail(row, Sentence("hand_over_failed", reason=why, **figures))
        return _finish(row, served_uri, heartbeat)


def describe_weights(phase: Phase, uri: str, endpoint: Endpoint) -> Weights:
    """Return the hand-over's fields, with paths as on the server's machine.

    Raises:
        CheckpointError: The checkpoint cannot be read.
    """
    digest = digest_checkpoint(uri)
    if endpoint.folder:
        # Where the server finds the weights, regardless of the way of the hand-over.
        folder = Path(endpoint.folder, uri)
        adapter = folder.with_name(ADAPTER).as_posix() if has_adapter(uri) else ""
    else:
        folder = Path(resolve_checkpoint(uri)).resolve()
        found = resolve_adapter(uri)
        adapter = Path(found).resolve().as_posix() if found else ""
    run = slugify(phase.run.name)[:MAX_NAME_LENGTH] or "run"
    return Weights(
        name=f"{run}-{phase.number}-{digest[:12]}",
        digest=digest,
        folder=folder.as_posix(),
        adapter=adapter,
    )


@transaction.atomic
def name_served_model(*, phase_id: int, served_uri: str, by: User | None) -> Phase:
    """Store the address at which a person serves the phase's weights, and resume it.

    The caller wakes the loop.

    Raises:
        PhaseStateError: The phase is not stopped or failed, or its run has no server.
        CheckpointError: The address is none, or may not be called.
    """
    phase = Phase.objects.select_for_update().get(pk=phase_id)
    stage = phase.resume_status
    if phase.status not in RESTING or not phase.served_uri or not _acts(stage):
        raise PhaseStateError(
            gettext("%(phase)s is not waiting for a served model now.")
            % {"phase": phase}
        )
    is_trained = stage in (STAGE, Phase.Status.EVALUATING)
    weights = phase.next_policy_uri if is_trained else phase.policy_uri
    check_served(served_uri, weights, phase.run.config.get("rollout", {}))
    row = _begin(phase, weights, digest_checkpoint(weights), "by_hand")
    _note_done(row, served_uri, by)
    field = "next_served_uri" if is_trained else "served_uri"
    Phase.objects.filter(pk=phase_id).update(**{field: served_uri})
    return resume_phase(phase_id=phase_id, by=by)


def _acts(stage: str) -> bool:
    return stage == STAGE or stage in STAGE_PURPOSES


def _begin(phase: Phase, uri: str, digest: str, way: str) -> HandOver:
    """Note that the hand-over is being tried, perhaps again."""
    now = timezone.now()
    begun: dict[str, Any] = {"digest": digest, "way": way, "started_at": now}
    row, _ = HandOver.objects.update_or_create(
        phase=phase,
        policy_uri=uri,
        defaults={**begun, "state": State.RUNNING, "reason": "", "ended_at": None},
    )
    HandOver.objects.filter(pk=row.pk).update(tries=F("tries") + 1)
    return row


def _ask_person(weights: Weights) -> Sentence:
    figures = {"folder": weights.folder, "digest": weights.digest[:12]}
    return Sentence("hand_over_by_hand", **figures)


def _fail(row: HandOver, reason: str) -> NoReturn:
    """Keep the reason and pause the phase."""
    HandOver.objects.filter(pk=row.pk).update(
        state=State.FAILED, reason=reason, ended_at=timezone.now()
    )
    raise PhasePaused(reason)


def _finish(row: HandOver, served_uri: str, heartbeat: Heartbeat) -> bool:
    with writing_under(heartbeat):
        _note_done(row, served_uri, None)
        return set_next_served(phase_id=row.phase_id, uri=served_uri)


def _note_done(row: HandOver, served_uri: str, by: User | None) -> None:
    HandOver.objects.filter(pk=row.pk).update(
        state=State.DONE, served_uri=served_uri, by=by, ended_at=timezone.now()
    )
    figures = {"served": served_uri, "digest": row.digest[:12]}
    tell_phase(row.phase_id, "handed_over", uri=row.policy_uri, **figures)
