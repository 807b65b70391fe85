"""The reward model learns on a phase's way, where the run's settings ask for it."""

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
    """What tells a phase's page how far training is."""

    @property
    def report(self) -> Callable[[dict[str, Any]], None]:
        """Takes the trainer's progress."""
        ...


def learn_from_people(phase: Phase, *, reporter: Reports, heartbeat: Heartbeat) -> None:
    """Train the next phase's reward model on what is known by now, if there is news.

    That is people's verdicts, and the evaluators' outcomes where the settings say so.

    Without enough of them the phase goes on with the model it has, and says so.

    Raises:
        StageLost: The worker was told to stop.
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
    if heartbeat.must_stop or made.checkpoint is None:
        raise StageLost("Training was interrupted.")
    with writing_under(heartbeat):
        set_next_orm(phase_id=phase.pk, uri=made.checkpoint.uri)
        _tell(phase.pk, made.accuracy.get(""))


def _tell(phase_id: int, overall: dict[str, float] | None) -> None:
    if not overall:
        tell_phase(phase_id, "reward_model_learnt")
        return
    shares = {name: round(100 * overall[name]) for name in ("before", "after")}
    tell_phase(phase_id, "reward_model_measured", count=round(overall["n"]), **shares)
