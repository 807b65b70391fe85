"""What the run page shows, gathered with the apps' selectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from curriculum.errors import LeaseLost, WorkbenchError
from curriculum.models import Phase, Run
from curriculum.selectors.history import list_moves
from curriculum.selectors.pages import list_phases
from curriculum.selectors.pools import newly_accepted
from curriculum.services import RunNotes
from rollouts.models import Trajectory
from rollouts.selectors.pages import PurposeCounts, count_by_purpose, count_outcomes
from training.models import TrainingRun
from training.selectors.loop import asks_evaluators
from training.selectors.pages import list_lineage, map_training_runs
from webrl_site.home.page import success_points
from webrl_site.launch.forecast import Plan, forecast_phase
from webrl_site.launch.preflight import count_tasks
from webrl_site.launch.stage_times import Move, measure_stages
from webrl_site.runs import document as run_document
from webrl_site.runs.config import SECTIONS, RunConfig, complete
from webrl_site.runs.config_diff import Difference, list_differences
from webrl_site.runs.document import compared
from webrl_site.runs.measurements import Measurement, find_starts, measure
from webrl_site.served.spending import describe_spending

Purpose = Trajectory.Purpose


@dataclasses.dataclass(frozen=True, slots=True)
class PhaseRow:
    """One line of the run's table of phases; `seconds` are without the review."""

    phase: Phase
    collected: PurposeCounts
    solved: int
    before: Measurement | None
    after: Measurement | None
    training: TrainingRun | None
    seconds: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """One number of the configuration, and the paper's value."""

    name: str
    value: Any
    paper: Any

    @property
    def differs(self) -> bool:
        return bool(self.value != self.paper)


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    """The content of the form of notes; with `mistake` or `theirs` nothing is saved.

    Attributes:
        notes, tags, keep_evidence: As filled in.
        before: The form's original values, to detect what was changed in it.
        mistake: What is wrong with a tag or too long.
        conflict: A message that another person has meanwhile saved the same fields.
        theirs: The other person's values, by the field's name.
    """

    notes: str
    tags: str
    keep_evidence: bool
    before: RunNotes
    mistake: str = ""
    conflict: str = ""
    theirs: dict[str, Any] = dataclasses.field(default_factory=dict)


def read_said(run: Run) -> Said:
    stored = RunNotes.of(run)
    return Said(**dataclasses.asdict(stored), before=stored)


def keep_said(
    run: Run, said: RunNotes, before: RunNotes, error: WorkbenchError
) -> Said:
    """Return the refused form with everything that was typed.

    After a conflict it is based on the stored values: saving again overwrites them.
    """
    filled = dataclasses.asdict(said)
    if not isinstance(error, LeaseLost):
        return Said(**filled, before=before, mistake=error.message)
    stored, changed = RunNotes.of(run), said.list_changes(before)
    unchanged = dataclasses.asdict(stored)
    mixed = {name: (filled if name in changed else unchanged)[name] for name in filled}
    theirs = said.list_conflicts(before, stored)
    return Said(**mixed, before=stored, conflict=error.message, theirs=theirs)


def describe_run(run: Run, said: Said | None = None) -> dict[str, Any]:
    """Return the page's variables: eleven queries for any number of phases."""
    phases = list_phases(run.pk)
    ids = [phase.pk for phase in phases]
    counts = count_by_purpose(ids)
    training = map_training_runs(ids)
    starts, moves = find_starts(phases, counts), list_moves(ids)
    collected = {
        phase.pk: counts.get((phase.pk, Purpose.COLLECT), PurposeCounts())
        for phase in phases
    }
    rows = [
        PhaseRow(
            phase=phase,
            collected=collected[phase.pk],
            solved=_count_solved(run, collected[phase.pk]),
            before=starts.get(phase.pk),
            after=measure(phase, Purpose.EVALUATE, counts),
            training=training.get(phase.pk),
            seconds=_sum_stages(moves.get(phase.pk, [])),
        )
        for phase in phases
    ]
    open_phase = next((phase for phase in phases if phase.is_open), None)
    return {
        "run": run,
        "said": said or read_said(run),
        "rows": rows,
        "open_phase": open_phase,
        "next_number": len(phases) + 1,
        "spent": describe_spending(run),
        "points": success_points(count_outcomes([run.pk]), counts),
        "lineage": list_lineage([run.policy_uri, run.critic_uri, run.orm_uri], run.pk),
        "sections": list_settings(run.config),
        "differences": list_differences_to_parent(run),
        **({} if open_phase else describe_launch(run, len(phases) + 1)),
    }


def _sum_stages(moves: Sequence[Move]) -> float | None:
    """Return the time of the stages that ended, people's time left out."""
    seconds = measure_stages(moves)
    seconds.pop(Phase.Status.REVIEW, None)
    return sum(seconds.values()) if seconds else None


def _count_solved(run: Run, collected: PurposeCounts) -> int:
    """Count the episodes that the run trains on as successes.

    People's verdicts are not counted here. Imported episodes may have only outcomes.
    """
    if asks_evaluators(run.config) or not collected.scored:
        return collected.successes + collected.rewarded_alone
    return collected.rewarded


def describe_launch(run: Run, number: int) -> dict[str, Any]:
    """Return the variables of the question before a launch: six queries."""
    train, test = count_tasks(run.config)
    train += newly_accepted(run.pk, number).count()
    plan = Plan(complete(run.config), run.policy_uri, train, test)
    attempted = min(plan.config["curriculum"]["tasks_per_phase"], train)
    forecast = forecast_phase(plan, number=number)
    return {"launch_tasks": attempted, "launch_forecast": forecast}


def list_differences_to_parent(run: Run) -> list[Difference]:
    """Return what was changed when the run was made from another."""
    if run.parent is None:
        return []
    documents = [compared(run_document.describe_run(one)) for one in (run.parent, run)]
    return list_differences(*documents)


def list_settings(config: dict[str, Any]) -> dict[str, list[Setting]]:
    """Return every setting by section, with the paper's value."""
    paper = RunConfig().to_json()
    return {
        section: [
            Setting(name, config.get(section, {}).get(name, default), default)
            for name, default in paper[section].items()
        ]
        for section in SECTIONS
    }
