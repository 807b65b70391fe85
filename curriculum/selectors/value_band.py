"""The critic's values of evolved tasks: their distribution and the effect of a band."""

from __future__ import annotations

import dataclasses

from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Cast, Floor

from curriculum.models import Phase, Task
from curriculum.phase_config import CurriculumConfig

# The handles move by a hundredth, so no bar crosses an end of the band.
BINS = 100
# The code of `say_leak` as the column stores it next to the text.
LEAK = '"code": "resembles_test"'
PASSED = (*Task.UNDECIDED, *Task.DECIDED, Task.Status.LEFT)


@dataclasses.dataclass(frozen=True, slots=True)
class Band:
    """Critic values between which tasks are neither too hard nor too easy."""

    low: float
    high: float

    def holds(self) -> Q:
        """Return the condition that a task's value is in the band."""
        return Q(value_estimate__gte=self.low, value_estimate__lte=self.high)


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the histogram: values from `low` to `high` (the last one included)."""

    low: float
    high: float
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class SiteRow:
    """What a band would do to one site's tasks.

    Attributes:
        inside: Tasks that have passed so far.
        enter: Filtered tasks that the band would let in.
        leave: Tasks that wait for review and would be filtered.
        decided: Tasks outside the band that have passed and are decided, and so stay.
    """

    key: str
    name: str
    inside: int
    enter: int
    leave: int
    decided: int

    @property
    def after(self) -> int:
        """How many will have passed."""
        return self.inside + self.enter - self.leave


def valued_tasks(phase_id: int | None) -> QuerySet[Task]:
    """Return the evolved tasks with a value: of one phase, or of all.

    A task that resembles a test task is left out, regardless of its value.
    """
    tasks = Task.objects.filter(value_estimate__isnull=False)
    tasks = tasks.exclude(status=Task.Status.FILTERED, filter_reason__contains=LEAK)
    tasks = tasks.filter(origin=Task.Origin.EVOLVED).order_by()
    return tasks.filter(born_in_id=phase_id) if phase_id else tasks


def draw_histogram(valued: QuerySet[Task]) -> list[Bar]:
    """Return a hundred bars from 0 to 1 over valued tasks, in one query."""
    place = Cast(Floor(F("value_estimate") * BINS), IntegerField())
    capped = Case(When(value_estimate__gte=1, then=Value(BINS - 1)), default=place)
    rows = valued.annotate(place=capped).values_list("place")
    counts = dict(rows.annotate(Count("pk")))
    return [
        Bar(place / BINS, (place + 1) / BINS, counts.get(place, 0))
        for place in range(BINS)
    ]


def weigh_band(valued: QuerySet[Task], band: Band) -> list[SiteRow]:
    """Return what the band would do to valued tasks, site by site, in one query."""
    passed, holds = Q(status__in=PASSED), band.holds()
    waits = Q(status=Task.Status.SHORTLISTED)
    rows = (
        valued.values_list("site__key", "site__name")
        .annotate(
            inside=Count("pk", filter=passed),
            enter=Count("pk", filter=Q(status=Task.Status.FILTERED) & holds),
            leave=Count("pk", filter=waits & ~holds),
            decided=Count("pk", filter=passed & ~waits & ~holds),
        )
        .order_by("site__key")
    )
    return [SiteRow(*row) for row in rows]


def band_of(phase: Phase | None) -> Band:
    """Return the band that the phase's run is set to, or the paper's."""
    given = phase.run.config.get("curriculum", {}) if phase else {}
    config = CurriculumConfig(**given)
    return Band(config.value_low, config.value_high)
