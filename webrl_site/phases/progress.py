"""How far a phase is: its stages with counts, rates and the time left."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal

from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Phase, Task
from rollouts.models import STAGE_PURPOSES, Trajectory
from rollouts.selectors.pages import PurposeCounts
from training.models import TrainingRun
from webrl_site.phases.training_parts import read_parts

State = Literal["done", "current", "waiting", "passed", "stopped", "failed"]
S = Phase.Status
ORDER = (
    S.BASELINE,
    S.COLLECTING,
    S.SCORING,
    S.TRAINING,
    S.HANDING_OVER,
    S.EVALUATING,
    S.EVOLVING,
    S.REVIEW,
)
LABELS = {
    S.BASELINE: gettext_lazy("Measure the baseline"),
    S.COLLECTING: gettext_lazy("Collect episodes"),
    S.SCORING: gettext_lazy("Score trajectories"),
    S.TRAINING: gettext_lazy("Train critic and policy"),
    S.HANDING_OVER: gettext_lazy("Hand weights over"),
    S.EVALUATING: gettext_lazy("Evaluate"),
    S.EVOLVING: gettext_lazy("Evolve tasks"),
    S.REVIEW: gettext_lazy("Review"),
}
# One job does each of these under a lease; without a lease no worker has it.
LEASED = (S.SCORING, S.TRAINING, S.HANDING_OVER, S.EVOLVING)


@dataclasses.dataclass(frozen=True, slots=True)
class Stage:
    """One stage as the stepper shows it.

    Attributes:
        key: Phase status; state: where the phase is relative to it.
        done, total: Units of work; total is None while it is unknown.
        unit: What is counted: "episodes", "steps", ...
        per_minute: Units a minute since the stage's first one, or None.
        seconds_left: Forecast, or None; with `is_part`, of one of several parts.
        note: One line more, e.g. "3 failed".
        seconds: How long a finished stage took, without interruptions, or None.
    """

    key: str
    label: str
    state: State
    done: int = 0
    total: int | None = None
    unit: str = ""
    per_minute: float | None = None
    seconds_left: float | None = None
    note: str = ""
    is_part: bool = False
    seconds: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Lately:
    """Units of the current stage that were done in the last so many seconds."""

    done: int
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class PhaseFacts:
    """The data of the stepper; `seconds` are those of the stages that ended."""

    phase: Phase
    by_purpose: Mapping[str, PurposeCounts]
    evolved: Mapping[str, int]
    training: TrainingRun | None
    progress: Mapping[str, Any]
    now: dt.datetime
    lately: Lately | None = None
    seconds: Mapping[str, float] = dataclasses.field(default_factory=dict)


def list_stages(facts: PhaseFacts) -> list[Stage]:
    """Return the phase's stages in order, each with its known progress.

    Weights are handed over if a server acts with them.
    """
    phase = facts.phase
    here = phase.status if phase.is_moving else phase.resume_status or phase.status
    position = ORDER.index(here) if here in ORDER else -1
    if phase.status == S.CLOSED:
        position = len(ORDER)
    stages = []
    for index, key in enumerate(ORDER):
        if key == S.HANDING_OVER and not phase.served_uri:
            continue
        state = _state(phase, index, position)
        if key == S.BASELINE and phase.number > 1 and state != "current":
            state = "passed"
        stages.append(_fill(Stage(key, str(LABELS[key]), state), facts))
    return stages


def _state(phase: Phase, index: int, position: int) -> State:
    if index < position:
        return "done"
    if index > position:
        return "waiting"
    if phase.status == S.STOPPED:
        return "stopped"
    return "failed" if phase.status == S.FAILED else "current"


def _fill(stage: Stage, facts: PhaseFacts) -> Stage:
    if stage.state == "passed":
        return dataclasses.replace(
            stage, note=gettext("Measured by the previous phase")
        )
    counted = _count(stage, facts)
    if counted.state == "done":
        return dataclasses.replace(counted, seconds=facts.seconds.get(stage.key))
    if counted.state != "current":
        return counted
    if waits := _find_wait(stage, facts):
        replace = dataclasses.replace
        return replace(counted, note=waits, per_minute=None, seconds_left=None)
    return _forecast(counted, facts)


def _find_wait(stage: Stage, facts: PhaseFacts) -> str:
    """Say what the current stage waits for; "" if it can go on."""
    until = facts.phase.waits_until
    if until is not None and until > facts.now:
        return gettext("waits for its next attempt")
    if stage.key in LEASED and not _is_leased(facts):
        return gettext("waits for a worker")
    return ""


def _is_leased(facts: PhaseFacts) -> bool:
    until = facts.phase.work_leased_until
    return until is not None and until > facts.now


def _count(stage: Stage, facts: PhaseFacts) -> Stage:
    replace = dataclasses.replace
    if stage.key in STAGE_PURPOSES:
        counts = facts.by_purpose.get(STAGE_PURPOSES[stage.key], PurposeCounts())
        note = (
            gettext("%(failed)s broken") % {"failed": counts.failed}
            if counts.failed
            else ""
        )
        return replace(
            stage,
            done=counts.ended,
            total=counts.total,
            unit=gettext("episodes"),
            note=note,
        )
    if stage.key == S.SCORING:
        counts = facts.by_purpose.get(Trajectory.Purpose.COLLECT, PurposeCounts())
        total = counts.ended - counts.failed
        note = (
            gettext("%(rewarded)s judged successful") % {"rewarded": counts.rewarded}
            if counts.scored
            else ""
        )
        return replace(
            stage,
            done=counts.scored,
            total=total,
            unit=gettext("trajectories"),
            note=note,
        )
    if stage.key == S.TRAINING:
        return _count_training(stage, facts)
    if stage.key == S.HANDING_OVER:
        return stage
    if stage.key == S.EVOLVING:
        total = sum(facts.evolved.values())
        kept = total - facts.evolved.get(Task.Status.FILTERED, 0)
        note = gettext("%(kept)s passed the filters") % {"kept": kept} if total else ""
        return replace(
            stage, done=total, total=None, unit=gettext("proposals"), note=note
        )
    return _count_review(stage, facts.evolved)


def _count_training(stage: Stage, facts: PhaseFacts) -> Stage:
    config = facts.phase.run.config if facts.training else {}
    found = read_parts(facts.training, config, is_current=stage.state == "current")
    return dataclasses.replace(
        stage,
        **{field.name: getattr(found, field.name) for field in fields(found)},
    )


def _count_review(stage: Stage, evolved: Mapping[str, int]) -> Stage:
    accepted = evolved.get(Task.Status.ACCEPTED, 0)
    rejected = evolved.get(Task.Status.REJECTED, 0)
    waiting = sum(evolved.get(status, 0) for status in Task.UNDECIDED)
    left = evolved.get(Task.Status.LEFT, 0)
    if stage.state == "done" and left and not accepted + rejected:
        # Nothing was done, so there is no tick.
        note = gettext("%(left)s left undecided") % {"left": left}
        return dataclasses.replace(stage, state="passed", note=note)
    notes = [
        gettext("%(accepted)s accepted") % {"accepted": accepted} if accepted else "",
        gettext("%(left)s left undecided") % {"left": left} if left else "",
    ]
    return dataclasses.replace(
        stage,
        done=accepted + rejected,
        total=accepted + rejected + waiting + left,
        unit=gettext("tasks"),
        note=", ".join(filter(None, notes)),
    )


def _forecast(stage: Stage, facts: PhaseFacts) -> Stage:
    """Add the rate since the stage began, and the time that the rest would take."""
    if stage.key in (S.REVIEW, S.TRAINING):
        # People's time cannot be forecast; a training reports its own forecast.
        return stage
    if facts.progress.get("stage") == stage.key:
        stage = _believe(stage, facts.progress)
    rate = _rate(stage, facts)
    if not rate:
        return stage
    left = stage.seconds_left
    if left is None and stage.total:
        left = 60 * max(stage.total - stage.done, 0) / rate
    return dataclasses.replace(stage, per_minute=rate, seconds_left=left)


def _rate(stage: Stage, facts: PhaseFacts) -> float | None:
    """Units a minute: of the last minutes, if that is known.

    A resumed stage has units from before its clock started, so that its whole count
    divided by its time would be too high.
    """
    lately, began = facts.lately, facts.phase.stage_started_at
    if lately is not None and stage.key in STAGE_PURPOSES:
        return 60 * lately.done / max(lately.seconds, 1.0)
    if began is None or stage.done == 0:
        return None
    return 60 * stage.done / max((facts.now - began).total_seconds(), 1.0)


def _believe(stage: Stage, progress: Mapping[str, Any]) -> Stage:
    """Take the job's forecast, and its total if the rows have none.

    Episodes are forecast from those that ended lately, since a reported forecast
    would not change when the workers die.
    """
    told = progress.get("seconds_left")
    if told is not None and stage.key not in STAGE_PURPOSES:
        stage = dataclasses.replace(stage, seconds_left=float(told))
    if stage.total is None and progress.get("total"):
        done, total = int(progress.get("done") or 0), int(progress["total"])
        stage = dataclasses.replace(stage, done=done, total=total)
    return stage
