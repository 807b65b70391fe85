"""Agreement of reward model, evaluators and people on the same episodes."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Abs

from curriculum.models import Phase, Run
from rollouts.models import HumanVerdict, Trajectory
from rollouts.selectors.verdicts import standing_verdicts

YES = HumanVerdict.Verdict.SUCCESS
NO = HumanVerdict.Verdict.FAILURE


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where episodes were played: a phase and a site."""

    phase_id: int
    phase_number: int
    site: str
    site_name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Agreement:
    """How often two judges agree on `n` episodes, of these tasks."""

    same: int = 0
    n: int = 0
    task_ids: frozenset[int] = dataclasses.field(
        default=frozenset(), compare=False, repr=False
    )

    def __add__(self, other: Agreement) -> Agreement:
        """Return the sum of both."""
        tasks = self.task_ids | other.task_ids
        return Agreement(self.same + other.same, self.n + other.n, tasks)


@dataclasses.dataclass(frozen=True, slots=True)
class PlaceRow:
    """The three pairs of judges on the episodes of one place.

    Of the evaluators' `n` failures the reward model says YES to `false_yes.same`, of
    their successes NO to `false_no.same`.
    """

    place: Place
    model_and_evaluators: Agreement = Agreement()
    model_and_people: Agreement = Agreement()
    evaluators_and_people: Agreement = Agreement()
    false_yes: Agreement = Agreement()
    false_no: Agreement = Agreement()


@dataclasses.dataclass(frozen=True, slots=True)
class PeopleSay:
    """The majority of people's clear verdicts on an episode, with the other judges'."""

    trajectory_id: int
    is_success: bool
    task_id: int
    reward: float | None
    outcome: bool | None
    place: Place

    @property
    def overrules(self) -> bool:
        """Whether they disagree with the reward model."""
        return self.reward is not None and (self.reward > 0) != self.is_success


def list_places(run_id: int) -> list[PlaceRow]:
    """Return all pairs of judges by phase and site, in two queries."""
    rows = {row.place: row for row in _compare_with_evaluators(run_id)}
    for said in list_people_say(run_id):
        row = rows.get(said.place, PlaceRow(said.place))
        rows[said.place] = dataclasses.replace(
            row,
            model_and_people=row.model_and_people + _with_model(said),
            evaluators_and_people=row.evaluators_and_people + _with_evaluators(said),
        )
    return sorted(rows.values(), key=lambda r: (r.place.phase_number, r.place.site))


def list_people_say(run_id: int | None = None) -> list[PeopleSay]:
    """Return the episodes with a majority of people's clear verdicts, in one query."""
    verdicts = standing_verdicts().exclude(verdict=HumanVerdict.Verdict.UNCLEAR)
    if run_id is not None:
        verdicts = verdicts.filter(trajectory__phase__run_id=run_id)
    rows = verdicts.values_list(
        "trajectory_id",
        "verdict",
        "trajectory__task_id",
        "trajectory__reward",
        "trajectory__outcome",
        "trajectory__phase_id",
        "trajectory__phase__number",
        "trajectory__task__site__key",
        "trajectory__task__site__name",
    )
    votes: defaultdict[int, Counter[str]] = defaultdict(Counter)
    about: dict[int, tuple[int, float | None, bool | None, Place]] = {}
    for row in rows:
        votes[row[0]][row[1]] += 1
        about[row[0]] = (*row[2:5], Place(*row[5:]))
    return [
        PeopleSay(pk, counts[YES] > counts[NO], *about[pk])
        for pk, counts in votes.items()
        if counts[YES] != counts[NO]
    ]


def find_scored_run() -> Run | None:
    """The run whose episodes a reward model scored last; None before the first."""
    phases = Phase.objects.filter(Exists(_scored(OuterRef("pk")))).select_related("run")
    newest = phases.order_by("-id").first()
    return newest.run if newest else None


def is_scored(run_id: int) -> bool:
    """Say whether a reward model has scored any episode of a run."""
    phases = Phase.objects.filter(run_id=run_id)
    return phases.filter(Exists(_scored(OuterRef("pk")))).exists()


def _scored(phase_id: OuterRef) -> QuerySet[Trajectory]:
    return Trajectory.objects.filter(phase=phase_id, success_probability__isnull=False)


def list_to_audit(
    run_id: int, reader: AbstractBaseUser | AnonymousUser, limit: int = 25
) -> list[Trajectory]:
    """Return scored episodes that the reader has not judged, most informative first.

    First where the reward model and the evaluators differ, then where the model is
    least sure; each has `differs` and `doubt` (0 for certain, 0.5 for no idea).
    """
    mine = standing_verdicts().filter(trajectory=OuterRef("pk"), author_id=reader.pk)
    scored: QuerySet[Trajectory] = Trajectory.objects.filter(
        phase__run_id=run_id,
        status=Trajectory.Status.FINISHED,
        success_probability__isnull=False,
    )
    order = ("-differs", "-doubt", "-pk")
    # Chosen by a few numbers: sorting thousands of full rows takes long.
    chosen = _rate(scored.filter(~Exists(mine))).order_by(*order).values("pk")[:limit]
    return list(
        _rate(Trajectory.objects.filter(pk__in=chosen))
        .select_related("task__site", "phase__run")
        .defer("final_observation", "outcome_checks", "task__spec")
        .order_by(*order)
    )


def _rate(episodes: QuerySet[Trajectory]) -> QuerySet[Trajectory]:
    """Annotate each scored episode with how informative an audit of it is."""
    says_yes = Q(reward__gt=0)
    differ = (says_yes & Q(outcome=False)) | (~says_yes & Q(outcome=True))
    certain = Abs(F("success_probability") - 0.5)
    return episodes.annotate(
        differs=Case(
            When(differ, then=Value(1)), default=0, output_field=IntegerField()
        ),
        doubt=Value(0.5, output_field=FloatField()) - certain,
    )


def _compare_with_evaluators(run_id: int) -> Iterator[PlaceRow]:
    rows = (
        Trajectory.objects.filter(
            phase__run_id=run_id, outcome__isnull=False, reward__isnull=False
        )
        .values_list(
            *("phase_id", "phase__number", "task__site__key", "task__site__name"),
            "task_id",
        )
        .annotate(
            n=Count("pk"),
            failures=Count("pk", filter=Q(outcome=False)),
            false_yes=Count("pk", filter=Q(outcome=False, reward__gt=0)),
            false_no=Count("pk", filter=Q(outcome=True, reward__lte=0)),
        )
        .order_by()
    )
    by_place: defaultdict[Place, list[tuple[int, ...]]] = defaultdict(list)
    for *place, task_id, n, failures, false_yes, false_no in rows:
        by_place[Place(*place)].append((task_id, n, failures, false_yes, false_no))
    for where, tasks in by_place.items():
        ids, *columns = zip(*tasks, strict=True)
        n, failures, false_yes, false_no = map(sum, columns)
        failed = frozenset(task_id for task_id, _, failures, *_ in tasks if failures)
        solved = frozenset(
            task_id for task_id, n, failures, *_ in tasks if n > failures
        )
        yield PlaceRow(
            where,
            model_and_evaluators=Agreement(n - false_yes - false_no, n, frozenset(ids)),
            false_yes=Agreement(false_yes, failures, failed),
            false_no=Agreement(false_no, n - failures, solved),
        )


def _with_model(said: PeopleSay) -> Agreement:
    if said.reward is None:
        return Agreement()
    return Agreement(int(not said.overrules), 1, frozenset({said.task_id}))


def _with_evaluators(said: PeopleSay) -> Agreement:
    if said.outcome is None:
        return Agreement()
    is_same = said.outcome == said.is_success
    return Agreement(int(is_same), 1, frozenset({said.task_id}))


def add_up(rows: Iterable[PlaceRow]) -> tuple[Agreement, Agreement, Agreement]:
    """Return the three pairs over several places."""
    pairs = (Agreement(), Agreement(), Agreement())
    for row in rows:
        found = (
            row.model_and_evaluators,
            row.model_and_people,
            row.evaluators_and_people,
        )
        pairs = tuple(one + other for one, other in zip(pairs, found, strict=True))  # type: ignore[assignment]
    return pairs


def add_up_mistakes(rows: Iterable[PlaceRow]) -> tuple[Agreement, Agreement]:
    """Return `false_yes` and `false_no` over several places."""
    yes = no = Agreement()
    for row in rows:
        yes, no = yes + row.false_yes, no + row.false_no
    return yes, no
