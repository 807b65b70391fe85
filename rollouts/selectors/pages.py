"""The pages' queries for trajectories and steps."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Length, Replace
from django.utils import timezone

from curriculum.models import Phase, Run, Task
from curriculum.selectors.pages import filter_tasks
from curriculum.selectors.prepared import PreparedObjects, number
from rollouts.models import Step, Trajectory

NEWEST_FIRST = "-id"
MEASURING = (Trajectory.Purpose.BASELINE, Trajectory.Purpose.EVALUATE)
# Judged test tasks of a phase; a rate over fewer has an interval of over 50 points.
MIN_MEASURED = 10
BY_HAND = Trajectory.Purpose.BY_HAND
# Purposes of phases' own episodes; people's attempts are in none of their numbers.
OF_PHASES = [purpose for purpose in Trajectory.Purpose if purpose != BY_HAND]
# Filters that links of chart marks add, and their conditions on the rows.
MARKS = {
    "run": "phase__run_id",
    "optimal_from": "task__optimal_steps__gte",
    "optimal_to": "task__optimal_steps__lte",
    "words_from": "words__gte",
    "words_to": "words__lte",
    "chance_from": "success_probability__gte",
    "chance_below": "success_probability__lt",
}


@dataclasses.dataclass(frozen=True, slots=True)
class PurposeCounts:
    """The progress of a phase's trajectories of one purpose.

    Attributes:
        total: All of them; ended: finished or failed; running: claimed now.
        scored: Those with a reward; judged: those with an outcome.
        successes: Judged true by the evaluators; rewarded: reward above 0.
        rewarded_alone: Of the rewarded, those that no evaluator has judged.
        judged_tasks: How many tasks the judged ones are of.
    """

    total: int = 0
    ended: int = 0
    failed: int = 0
    running: int = 0
    scored: int = 0
    judged: int = 0
    successes: int = 0
    rewarded: int = 0
    rewarded_alone: int = 0
    judged_tasks: int = 0

    @property
    def is_partial(self) -> bool:
        """Whether episodes are still to come: no rate of them is final."""
        return self.ended < self.total


@dataclasses.dataclass(frozen=True, slots=True)
class OutcomeRow:
    """Judged trajectories of one phase, purpose and site: n, of so many tasks."""

    run_id: int
    run_name: str
    phase_id: int
    phase_number: int
    purpose: str
    site: str
    site_name: str
    n: int
    successes: int
    tasks: int


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an episode; silent when its running worker's lease has ended."""

    status: str
    attempt: int
    steps: int
    is_silent: bool = False

    @classmethod
    def read(
        cls, status: str, attempt: int, steps: int, leased_until: dt.datetime | None
    ) -> Progress:
        """Return the progress from a row's fields."""
        is_lost = leased_until is not None and leased_until < timezone.now()
        is_running = status == Trajectory.Status.RUNNING
        return cls(status, attempt, steps, is_lost and is_running)

    @property
    def state(self) -> str:
        """The one word for it: the status, or "silent"."""
        return "silent" if self.is_silent else self.status

    @property
    def is_over(self) -> bool:
        return self.status in (Trajectory.Status.FINISHED, Trajectory.Status.FAILED)

    @property
    def version(self) -> str:
        """A text that changes whenever the page would look different."""
        return f"{self.attempt}.{self.steps}.{self.state}"


def filter_trajectories(
    *,
    phase: int | None = None,
    task: int | None = None,
    purpose: str = "",
    site: str = "",
    status: str = "",
    ended_by: str = "",
    error_type: str = "",
    outcome: str = "",
    reward: str = "",
    text: str = "",
    kept: str = "",
    **marked: Any,
) -> QuerySet[Trajectory]:
    """Newest first; `outcome` and `reward` are "yes", "no", "none" or "".

    A phase's or a run's list has its own episodes: attempts by hand only where they are
    asked for, by their purpose or as demonstrations.

    `kept` is "yes" for demonstrations that SFT can use, and "held_out" for those of
    validation and test tasks, which SFT and the export leave out.

    `marked` are the filters that a chart's mark adds; see `filter_marked`.
    """
    trajectories = Trajectory.objects.select_related("task__site", "phase__run")
    exact = {
        "phase_id": phase,
        "task_id": task,
        "purpose": purpose,
        "status": status,
        "ended_by": ended_by,
        "error_type": error_type,
    }
    trajectories = trajectories.filter(**{k: v for k, v in exact.items() if v})
    if outcome:
        trajectories = trajectories.filter(
            outcome={"yes": True, "no": False, "none": None}[outcome]
        )
    if reward == "none":
        trajectories = trajectories.filter(reward__isnull=True)
    elif reward:
        is_yes = Q(reward__gt=0)
        trajectories = trajectories.filter(
            is_yes if reward == "yes" else ~is_yes, reward__isnull=False
        )
    if kept:
        is_learnt = Q(task__split=Task.Split.TRAIN)
        is_learnt &= ~Q(task__status=Task.Status.FILTERED)  # resembles a test task
        trajectories = trajectories.filter(
            is_learnt if kept == "yes" else ~is_learnt, takeover__kept_at__isnull=False
        )
    if _leaves_out_by_hand(phase, purpose, kept, marked.get("run")):
        trajectories = trajectories.exclude(purpose=BY_HAND)
    trajectories = filter_marked(trajectories, **marked)
    if site or text:
        # The few tasks are selected first: a join would read every trajectory's task.
        tasks = filter_tasks(site=site, text=text).order_by()
        trajectories = trajectories.filter(task_id__in=tasks.values("pk"))
    return trajectories.defer(
        "final_observation", "outcome_checks", "task__spec"
    ).order_by(NEWEST_FIRST)


def _leaves_out_by_hand(
    phase: int | None, purpose: str, kept: str, run: int | None
) -> bool:
    return bool(phase or run) and not purpose and not kept


def count_left_out_by_hand(filters: dict[str, Any]) -> int:
    """Count the attempts by hand that match filters but are left out by default."""
    asked = [filters.get(name) for name in ("phase", "purpose", "kept", "run")]
    if not _leaves_out_by_hand(*asked):  # type: ignore[arg-type]
        return 0
    return filter_trajectories(**filters | {"purpose": BY_HAND}).count()


def count_words(field: str) -> CombinedExpression:
    """Return how many words an instruction has: its single spaces and one."""
    return Length(field) - Length(Replace(field, Value(" "), Value(""))) + 1


def filter_marked(
    trajectories: QuerySet[Trajectory],
    *,
    judged: str = "",
    scored: str = "",
    template: str = "",
    **bounds: float | None,
) -> QuerySet[Trajectory]:
    """Keep what one mark of a chart counts; `bounds` are named in `MARKS`.

    `judged` asks for an outcome, `scored` for a reward.
    """
    if judged:
        trajectories = trajectories.filter(outcome__isnull=False)
    if scored:
        trajectories = trajectories.filter(reward__isnull=False)
    if template:
        trajectories = trajectories.filter(task__template_key=template)
    given = {name: n for name, n in bounds.items() if n is not None}
    if not given.keys().isdisjoint({"words_from", "words_to"}):
        trajectories = trajectories.annotate(words=count_words("task__instruction"))
    asked = {MARKS[name]: n for name, n in given.items()}
    return trajectories.filter(**asked)


def trajectories_in_full() -> QuerySet[Trajectory]:
    return Trajectory.objects.select_related("task__site", "phase__run")


def list_steps(trajectory: Trajectory) -> list[Step]:
    """The steps that count: those of the current attempt, in order."""
    steps = Step.objects.filter(trajectory=trajectory, attempt=trajectory.attempt)
    return list(steps.order_by("index"))


def map_progress(trajectory_ids: Collection[int]) -> dict[int, Progress]:
    """Return each episode's progress, in one query; missing ones are left out."""
    steps = Count("steps", filter=Q(steps__attempt=F("attempt")))
    rows = (
        Trajectory.objects.filter(pk__in=trajectory_ids)
        .order_by()
        .annotate(count=steps)
        .values_list("pk", "status", "attempt", "count", "leased_until")
    )
    return {row[0]: Progress.read(*row[1:]) for row in rows}


def find_neighbours(trajectory: Trajectory) -> tuple[int | None, int | None]:
    """Ids of the episodes before and after in the same phase and purpose."""
    siblings = Trajectory.objects.filter(
        phase_id=trajectory.phase_id, purpose=trajectory.purpose
    )
    ids = siblings.aggregate(
        before=Max("pk", filter=Q(pk__lt=trajectory.pk)),
        after=Min("pk", filter=Q(pk__gt=trajectory.pk)),
    )
    return ids["before"], ids["after"]


def list_episodes_of_task(task_id: int, limit: int = 50) -> list[Trajectory]:
    return list(filter_trajectories(task=task_id)[:limit])


def find_failed_episode(task_id: int | None, phase_id: int | None) -> Trajectory | None:
    """The failure from which a task evolved: its parent's, in that phase.

    Where reward model and evaluators differ, either may be what the run trains on.
    """
    if task_id is None:
        return None
    if phase_id is None:
        return FAILED.first(task=task_id)
    return FAILED_IN_PHASE.first(task=task_id, phase=phase_id)


def _failed_episodes(**of_phase: Any) -> QuerySet[Trajectory]:
    """Return a task's newest failure, without the long columns of the model's input."""
    no_failure = Q(outcome=True) | Q(outcome=None)
    episodes = Trajectory.objects.filter(
        task_id=number("task"), status=Trajectory.Status.FINISHED, **of_phase
    ).exclude(Q(reward__gt=0) & no_failure | Q(purpose=Trajectory.Purpose.BY_HAND))
    shown = episodes.only("step_count", "ended_by", "outcome", "reward")
    return shown.order_by("-id")[:1]


FAILED = PreparedObjects(_failed_episodes)
FAILED_IN_PHASE = PreparedObjects(lambda: _failed_episodes(phase_id=number("phase")))


def count_by_purpose(
    phase_ids: Collection[int], purposes: Collection[str] = ()
) -> dict[tuple[int, str], PurposeCounts]:
    """Counts of each (phase id, purpose), in one query; without attempts by hand."""
    finished, failed = Trajectory.Status.FINISHED, Trajectory.Status.FAILED
    running = Trajectory.Status.RUNNING
    rows = (
        Trajectory.objects.filter(
            phase_id__in=phase_ids, purpose__in=purposes or OF_PHASES
        )
        .values_list("phase_id", "purpose")
        .annotate(
            total=Count("phase"),
            ended=Count("phase", filter=Q(status__in=[finished, failed])),
            failed=Count("phase", filter=Q(status=failed)),
            running=Count("phase", filter=Q(status=running)),
            scored=Count("reward"),
            judged=Count("outcome"),
            successes=Count("phase", filter=Q(outcome=True)),
            rewarded=Count("phase", filter=Q(reward__gt=0)),
            rewarded_alone=Count("phase", filter=Q(reward__gt=0, outcome=None)),
            judged_tasks=Count("task", filter=Q(outcome__isnull=False), distinct=True),
        )
        .order_by("phase_id", "purpose")
    )
    return {(row[0], row[1]): PurposeCounts(*row[2:]) for row in rows}


def count_outcomes(run_ids: Collection[int]) -> list[OutcomeRow]:
    """Judged evaluation and baseline trajectories by phase and site, one query."""
    rows = (
        Trajectory.objects.filter(
            phase__run_id__in=run_ids, purpose__in=MEASURING, outcome__isnull=False
        )
        .values_list(
            "phase__run_id",
            "phase__run__name",
            "phase_id",
            "phase__number",
            "purpose",
            "task__site__key",
            "task__site__name",
        )
        .annotate(
            n=Count("phase"),
            successes=Count("phase", filter=Q(outcome=True)),
            tasks=Count("task", distinct=True),
        )
        .order_by("phase__run_id", "phase__number", "purpose", "task__site__key")
    )
    return [OutcomeRow(*row) for row in rows]


def find_measured_run() -> Run | None:
    """The run whose test tasks were judged last: a page's default.

    A run with a handful of judged tasks comes only where no other has been measured.
    """
    judged = Trajectory.objects.filter(
        phase=OuterRef("pk"), purpose__in=MEASURING, outcome__isnull=False
    )
    counted = judged.values("phase").annotate(tasks=Count("task", distinct=True))
    for least in (MIN_MEASURED, 1):
        is_measured = Exists(counted.filter(tasks__gte=least))
        phases = Phase.objects.filter(is_measured).select_related("run")
        newest = phases.order_by(NEWEST_FIRST).first()
        if newest:
            return newest.run
    return None


def find_judged_run() -> Run | None:
    """The run whose episodes, of any purpose, were judged or scored last."""
    judged = Trajectory.objects.filter(
        Q(outcome__isnull=False) | Q(reward__isnull=False), phase=OuterRef("pk")
    )
    phases = Phase.objects.filter(Exists(judged)).select_related("run")
    newest = phases.order_by(NEWEST_FIRST).first()
    return newest.run if newest else None


def list_lease_owners() -> list[tuple[str, int]]:
    """Workers that hold episodes now, with the number of each."""
    rows = Trajectory.objects.filter(
        status=Trajectory.Status.RUNNING, leased_until__gt=timezone.now()
    ).values_list("lease_owner")
    return list(rows.annotate(Count("pk")).order_by("lease_owner"))


def sample_snapshots(phase_id: int, limit: int) -> list[set[str]]:
    """Return the recorded pages of some of the phase's finished episodes, by digest."""
    finished = Trajectory.objects.filter(
        phase_id=phase_id, status=Trajectory.Status.FINISHED
    )
    pages: dict[int, set[str]] = {
        pk: set()
        for pk in finished.order_by("-pk").values_list("pk", flat=True)[:limit]
    }
    steps = Step.objects.filter(trajectory_id__in=pages).exclude(snapshot="")
    for trajectory_id, digest in steps.values_list("trajectory_id", "snapshot"):
        pages[trajectory_id].add(digest)
    return list(pages.values())
