"""Trains the reward model within a phase, if the run's settings say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from django.db import transaction

from curriculum.errors import StageLost
from curriculum.events import tell_phase
from curriculum.models import Phase
from curriculum.services import Heartbeat, set_next_orm, writing_under
from rollouts.services import draw_seed
from training.models import OrmTraining
from training.rl.orm.config import OrmConfig
from training.selectors.orm_rows import choose_examples, has_news
from training.services.directory import name_run
from training.services.orm_training import (
    TooFewVerdicts,
    is_trained_like,
    make_config,
    train_reward_model,
)

# "n", "before" and "after" on held-out episodes, if there are any.
Accuracy = dict[str, float] | None


class Reports(Protocol):
    """Reports a training's progress to a phase's page."""

    @property
    def report(self) -> Callable[[dict[str, Any]], None]:
        """Takes the trainer's progress."""
        ...


def learn_from_people(phase: Phase, *, reporter: Reports, heartbeat: Heartbeat) -> None:
    """Train the next phase's reward model, if there are new verdicts or outcomes.

    It learns from people's verdicts and, if the settings say so, evaluators' outcomes.

    If there are too few, the phase continues with its present model and says so.

    Raises:
        StageLost: The worker has to stop.
        WorkbenchError: Training failed.
    """
    config = OrmConfig(**phase.run.config.get("orm", {}))
    algorithm = phase.run.config.get("algorithm", {})
    learns = config.learn_from_people or config.learn_from_evaluators
    if not learns or _is_chosen(phase, config, algorithm):
        return
    if not has_news(phase.orm_uri, choose_examples(phase.orm_uri, config)):
        return
    try:
        made = train_reward_model(
            name=f"{name_run(phase.run)}-phase-{phase.number}",
            base_uri=phase.orm_uri,
            orm=config,
            algorithm=algorithm,
            seed=draw_seed(phase.run.seed, phase.number, "orm"),
            phase=phase,
            on_progress=reporter.report,
            should_stop=lambda: heartbeat.must_stop,
        )
    except TooFewVerdicts as error:
        tell_phase(phase.pk, "reward_model_stays", reason=error.message)
        return
    if made.checkpoint is None:
        raise StageLost("Training was interrupted.")
    uri, overall = made.checkpoint.uri, made.accuracy.get("")
    try:
        with writing_under(heartbeat):
            _choose(phase.pk, uri, overall)
    except StageLost:
        # What is done when a stop comes is not trained again.
        _choose_late(phase, uri, overall)
        raise
    if heartbeat.must_stop:
        raise StageLost("Training was interrupted.")


def _is_chosen(phase: Phase, orm: OrmConfig, algorithm: dict[str, Any]) -> bool:
    """Say whether the next phase's reward model stays as it is.

    It does not if this phase trained it with settings that have been edited since.
    """
    if not phase.next_orm_uri:
        return False
    own = OrmTraining.objects.filter(phase=phase, checkpoint__uri=phase.next_orm_uri)
    row, config = own.first(), make_config(orm, algorithm)
    return row is None or is_trained_like(row, phase.orm_uri, config)


@transaction.atomic
def _choose_late(phase: Phase, uri: str, overall: Accuracy) -> None:
    """Choose what was done when the stop came, unless another choice was made since."""
    stored = Phase.objects.select_for_update().get(pk=phase.pk)
    if stored.next_orm_uri == phase.next_orm_uri:
        _choose(phase.pk, uri, overall)


def _choose(phase_id: int, uri: str, overall: Accuracy) -> None:
    set_next_orm(phase_id=phase_id, uri=uri)
    _tell(phase_id, overall)


def _tell(phase_id: int, overall: Accuracy) -> None:
    if not overall:
        tell_phase(phase_id, "reward_model_learnt")
        return
    shares = {name: round(100 * overall[name]) for name in ("before", "after")}
    tell_phase(phase_id, "reward_model_measured", count=round(overall["n"]), **shares)
