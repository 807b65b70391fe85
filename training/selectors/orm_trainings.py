"""What a reward model learnt from people, and its accuracy since then."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from django.db.models import Count, F, Q, QuerySet

from rollouts.models import HumanVerdict
from training.models import Checkpoint, OrmExample, OrmTraining

# A verdict is YES above this chance; the trainer counts its accuracy the same way.
YES_ABOVE = 0.5
RIGHT_BEFORE = Q(is_success=True, before__gt=YES_ABOVE) | Q(
    is_success=False, before__lte=YES_ABOVE
)
RIGHT_AFTER = Q(is_success=True, after__gt=YES_ABOVE) | Q(
    is_success=False, after__lte=YES_ABOVE
)
# The values of `which` in `filter_examples`.
KINDS = {
    "people": Q(source=OrmExample.Source.PEOPLE),
    "checks": Q(source=OrmExample.Source.EVALUATORS),
    "held_out": Q(is_held_out=True),
    "own": Q(source=OrmExample.Source.OWN),
    "became_right": ~RIGHT_BEFORE & RIGHT_AFTER & Q(after__isnull=False),
    "became_wrong": RIGHT_BEFORE & ~RIGHT_AFTER & Q(after__isnull=False),
}


@dataclasses.dataclass(frozen=True, slots=True)
class HeldOut:
    """Right verdicts on held-out episodes of one site; "" is all sites.

    `tasks` is how many tasks they are of.
    """

    site: str
    n: int
    before: int
    after: int
    tasks: int


@dataclasses.dataclass(frozen=True, slots=True)
class Taught:
    """Episodes of one source, learnt from or held out.

    Attributes:
        evaluated: Those that evaluators judged, too, of `evaluated_tasks` tasks;
            agreed: those of them with the same verdict.
    """

    source: str
    is_held_out: bool
    episodes: int
    tasks: int
    evaluated: int
    evaluated_tasks: int
    agreed: int
    became_right: int
    became_wrong: int

    @property
    def label(self) -> str:
        return str(OrmExample.Source(self.source).label)


@dataclasses.dataclass(frozen=True, slots=True)
class Learning:
    """One training of a reward model, with its data and its results."""

    training: OrmTraining
    held_out: list[HeldOut]
    rows: list[Taught]
    people: int
    verdicts: int

    @property
    def asks_evaluators(self) -> bool:
        """Whether evaluators' outcomes taught or measured it, too."""
        return any(row.source == OrmExample.Source.EVALUATORS for row in self.rows)

    @property
    def became_right(self) -> int:
        return sum(row.became_right for row in self.rows)

    @property
    def became_wrong(self) -> int:
        return sum(row.became_wrong for row in self.rows)


def find_learning(checkpoint_id: int) -> Learning | None:
    """Return how the checkpoint learnt from people; None if it did not. 4 queries."""
    rows = OrmTraining.objects.select_related("phase__run")
    training = rows.filter(checkpoint_id=checkpoint_id).first()
    if training is None:
        return None
    said = HumanVerdict.objects.filter(orm_examples__training=training).aggregate(
        people=Count("author", distinct=True), verdicts=Count("pk", distinct=True)
    )
    held_out = list_held_out(training, _count_held_out_tasks(training))
    return Learning(training, held_out, _count_rows(training), **said)


def list_held_out(training: OrmTraining, tasks: Mapping[str, int]) -> list[HeldOut]:
    """Return all sites together, then each site; nothing if no task was held out.

    `tasks` says how many were held out, by site; without it each episode is of another.
    """
    return [
        HeldOut(
            site,
            n := round(one["n"]),
            before=round(one["before"] * n),
            after=round(one["after"] * n),
            tasks=min(tasks.get(site) or n, n),
        )
        for site, one in training.accuracy.items()
    ]


def _count_held_out_tasks(training: OrmTraining) -> dict[str, int]:
    rows = training.examples.filter(is_held_out=True).order_by()
    by_site = rows.values_list("trajectory__task__site__key").annotate(
        tasks=Count("trajectory__task_id", distinct=True)
    )
    found = dict(by_site)
    return {"": sum(found.values()), **found}


def _count_rows(training: OrmTraining) -> list[Taught]:
    evaluated = Q(trajectory__outcome__isnull=False)
    rows = (
        OrmExample.objects.filter(training=training)
        .order_by()
        .values_list("source", "is_held_out")
        .annotate(
            episodes=Count("pk"),
            tasks=Count("trajectory__task_id", distinct=True),
            evaluated=Count("pk", filter=evaluated),
            evaluated_tasks=Count(
                "trajectory__task_id", filter=evaluated, distinct=True
            ),
            agreed=Count("pk", filter=Q(trajectory__outcome=F("is_success"))),
            became_right=Count("pk", filter=KINDS["became_right"]),
            became_wrong=Count("pk", filter=KINDS["became_wrong"]),
        )
        .order_by("-source", "is_held_out")
    )
    return [Taught(*row) for row in rows]


def filter_examples(*, checkpoint_id: int, which: str = "") -> QuerySet[OrmExample]:
    """Newest first, with episode, task, and who judged; `which` is one of `KINDS`."""
    rows = OrmExample.objects.filter(training__checkpoint_id=checkpoint_id)
    return (
        rows.filter(KINDS.get(which, Q()))
        .select_related("trajectory__task__site", "trajectory__phase__run")
        .prefetch_related("verdicts__author")
        .order_by("-id")
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Judge:
    """The reward model of a phase, and how it judged held-out episodes, if known."""

    uri: str
    checkpoint_id: int | None = None
    parent_id: int | None = None
    parent_uri: str = ""
    held_out: HeldOut | None = None


def map_judges(uris: Collection[str]) -> dict[str, Judge]:
    """Return the reward models by address; one query."""
    of_held_out = Count(
        "orm_training__examples__trajectory__task_id",
        filter=Q(orm_training__examples__is_held_out=True),
        distinct=True,
    )
    rows = Checkpoint.objects.filter(uri__in=uris).annotate(tasks=of_held_out)
    found = {row.uri: row for row in rows.select_related("parent", "orm_training")}
    return {uri: _describe(uri, found.get(uri)) for uri in uris if uri}


def _describe(uri: str, row: Checkpoint | None) -> Judge:
    if row is None:
        return Judge(uri)
    training = getattr(row, "orm_training", None)
    told = list_held_out(training, {"": getattr(row, "tasks", 0)}) if training else []
    parent = row.parent
    return Judge(
        uri,
        checkpoint_id=row.pk,
        parent_id=row.parent_id,
        parent_uri=parent.uri if parent else "",
        held_out=next((one for one in told if not one.site), None),
    )
