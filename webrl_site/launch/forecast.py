"""Forecasts a phase's time and disk use from earlier phases like it.

A stage is forecast from phases with the same values of the settings that matter to it;
without such phases there is no forecast.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Phase
from curriculum.selectors.history import list_moves, list_past_phases
from rollouts.models import STAGE_PURPOSES, Trajectory
from rollouts.selectors.pages import PurposeCounts, count_by_purpose
from webrl_site.launch.stage_times import find_spans, measure_stages
from webrl_site.phases.progress import LABELS, ORDER
from webrl_site.runs.config import complete
from webrl_site.runs.config_diff import flatten, show
from webrl_site.runs.past_settings import Edit, list_edits, read_settings

S = Phase.Status
ROLLOUT_SETTINGS = (
    "curriculum.sites",
    "rollout.contexts",
    "rollout.step_limit",
    "rollout.time_limit_s",
    "rollout.whole_page",
    "rollout.record_snapshots",
    "algorithm.max_prompt_tokens",
)
TRAINING_SETTINGS = (
    "algorithm.objective",
    "algorithm.policy_epochs",
    "algorithm.augmented_copies",
    "algorithm.skip_familiar_copies",
    "algorithm.min_advantage",
    "algorithm.critic_epochs",
    "algorithm.batch_size",
    "algorithm.micro_batch_size",
    "algorithm.max_prompt_tokens",
    "algorithm.use_replay",
    "algorithm.use_demonstrations",
)
# Settings on which the time for one unit of a stage depends.
MATTERS = {
    S.BASELINE: ROLLOUT_SETTINGS,
    S.COLLECTING: ROLLOUT_SETTINGS,
    S.SCORING: ("algorithm.max_prompt_tokens",),
    S.TRAINING: TRAINING_SETTINGS,
    S.EVALUATING: ROLLOUT_SETTINGS,
    S.EVOLVING: (),
}
UNITS = {
    S.SCORING: gettext_lazy("trajectories"),
    S.TRAINING: gettext_lazy("episodes"),
    S.EVOLVING: gettext_lazy("proposals"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What a phase would do: its configuration and how much of each stage."""

    config: Mapping[str, Any]
    policy_uri: str
    train_tasks: int
    test_tasks: int

    def count(self, stage: str) -> int:
        """Return how many units of work the stage has."""
        curriculum = self.config["curriculum"]
        collected: int = min(curriculum["tasks_per_phase"], self.train_tasks)
        collected *= self.config["rollout"]["attempts_per_task"]
        limit = curriculum["evaluation_tasks"] or self.test_tasks
        measured: int = min(limit, self.test_tasks)
        measured *= self.config["rollout"].get("evaluation_attempts", 1)
        proposals = curriculum["proposals_per_phase"]
        units: dict[str, int] = {
            S.BASELINE: measured,
            S.EVALUATING: measured,
            S.EVOLVING: proposals if curriculum["use_curriculum"] else 0,
        }
        return int(units.get(stage, collected))


@dataclasses.dataclass(frozen=True, slots=True)
class StageForecast:
    """One stage of a planned phase.

    Attributes:
        seconds, low_s, high_s: Median, least and most; None if unknown.
        phases: The earlier phases on which the forecast is based.
    """

    label: str
    units: int
    unit: str
    seconds: float | None = None
    low_s: float | None = None
    high_s: float | None = None
    phases: tuple[Phase, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Forecast:
    """All stages of a planned phase that need no people."""

    stages: tuple[StageForecast, ...]
    phases: tuple[Phase, ...]

    @property
    def seconds(self) -> float | None:
        """The sum of the stages with a forecast; None if there is none."""
        known = [stage.seconds for stage in self.stages if stage.seconds is not None]
        return sum(known) if known else None

    @property
    def is_whole(self) -> bool:
        return all(stage.seconds is not None for stage in self.stages)


@dataclasses.dataclass(frozen=True, slots=True)
class Past:
    """One earlier phase: how long its stages took and how much they did.

    Attributes:
        spans: When each stage began and ended.
        edits: When the run's settings were changed, and their values before.
    """

    phase: Phase
    seconds: Mapping[str, float]
    counts: Mapping[str, PurposeCounts]
    spans: Mapping[str, tuple[dt.datetime, dt.datetime]]
    edits: Sequence[Edit]

    def count(self, stage: str) -> int:
        nothing = PurposeCounts()
        if stage == S.EVOLVING:
            config = self.phase.run.config.get("curriculum", {})
            return int(config.get("proposals_per_phase", 0))
        purpose = STAGE_PURPOSES.get(stage, Trajectory.Purpose.COLLECT)
        return self.counts.get(purpose, nothing).ended

    def settings(self, stage: str) -> dict[str, str | None]:
        """Return the stage's settings as text; None for one that changed meanwhile."""
        config = complete(self.phase.run.config)
        return read_settings(config, self.edits, *self.spans[stage])


def forecast_phase(plan: Plan, *, number: int = 1) -> Forecast:
    """Forecast each stage; always four queries.

    Phases after the first begin with weights that have been measured.
    """
    past = read_past()
    done = ORDER[:-1] if number == 1 else ORDER[1:-1]
    known = [stage for stage in done if stage in MATTERS]
    stages = tuple(_forecast_stage(stage, plan, past) for stage in known)
    used = {phase.pk: phase for stage in stages for phase in stage.phases}
    return Forecast(stages, tuple(used[pk] for pk in sorted(used, reverse=True)))


def read_past() -> list[Past]:
    """Return the newest phases that have ended at least one stage."""
    phases = list_past_phases()
    ids = [phase.pk for phase in phases]
    moves, counts = list_moves(ids), count_by_purpose(ids)
    edits = list_edits({phase.run_id for phase in phases})
    return [
        Past(
            phase,
            measure_stages(moves.get(phase.pk, [])),
            {purpose: row for (pk, purpose), row in counts.items() if pk == phase.pk},
            find_spans(moves.get(phase.pk, [])),
            edits.get(phase.run_id, []),
        )
        for phase in phases
    ]


def _forecast_stage(stage: str, plan: Plan, past: Sequence[Past]) -> StageForecast:
    units = plan.count(stage)
    unit = str(UNITS.get(S(stage)) or gettext("episodes"))
    found = StageForecast(str(LABELS[S(stage)]), units, unit)
    like = [one for one in past if _is_like(stage, plan, one)]
    rates = [one.seconds[stage] / one.count(stage) for one in like]
    if not units:
        return dataclasses.replace(found, seconds=0.0, low_s=0.0, high_s=0.0)
    if not rates:
        return found
    return dataclasses.replace(
        found,
        seconds=units * statistics.median(rates),
        low_s=units * min(rates),
        high_s=units * max(rates),
        phases=tuple(one.phase for one in like),
    )


def _is_like(stage: str, plan: Plan, past: Past) -> bool:
    """Return whether the stage ran with the same settings and kind of model."""
    if not past.count(stage) or stage not in past.seconds:
        return False
    run = past.phase.run
    if run.policy_uri != plan.policy_uri:
        return False
    ours, theirs = flatten(plan.config), past.settings(stage)
    return all(show(ours, key) == theirs[key] for key in MATTERS[S(stage)])
