"""Trains the reward model within a phase, if the run's settings say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from curriculum.errors import StageLost
from curriculum.events import tell_phase
from curriculum.models import Phase
from curriculum.services import Heartbeat, set_next_orm, writing_under
from rollouts.services import draw_seed
from training.rl.orm.config import OrmConfig
from training.selectors.orm_rows import choose_examples, has_news
from training.services.directory import name_run
from training.services.orm_training import TooFewVerdicts, train_reward_model


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
    learns = config.learn_from_people or config.learn_from_evaluators
    if not learns or phase.next_orm_uri:
        return
    if not has_news(phase.orm_uri, choose_examples(phase.orm_uri, config)):
        return
    try:
        made = train_reward_model(
            name=f"{name_run(phase.run)}-phase-{phase.number}",
            base_uri=phase.orm_uri,
            orm=config,
            algorithm=phase.run.config.get("algorithm", {}),
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
    # Also where a stop was requested meanwhile: a resumed phase need not train again.
    with writing_under(heartbeat):
        set_next_orm(phase_id=phase.pk, uri=made.checkpoint.uri)
        _tell(phase.pk, made.accuracy.get(""))


def _tell(phase_id: int, overall: dict[str, float] | None) -> None:
    if not overall:
        tell_phase(phase_id, "reward_model_learnt")
        return
    shares = {name: round(100 * overall[name]) for name in ("before", "after")}
    tell_phase(phase_id, "reward_model_measured", count=round(overall["n"]), **shares)
