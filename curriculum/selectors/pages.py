"""The pages' queries for sites, tasks, reviews, runs and phases."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import itertools
import re
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from curriculum.models import Flag, Phase, PhaseEvent, Review, Run, Site, Task
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.prepared import Prepared, PreparedObjects, number, text
from curriculum.selectors.reviewing.desk import (
    is_free,
    list_disputes,
    tasks_waiting_for,
)

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SIMILAR_CANDIDATES = 400
ACCEPTED_S = 5
# Stages in which a phase waits for somebody to resume it.
RESTING = (Phase.Status.STOPPED, Phase.Status.FAILED)
# Kinds of events of which a working phase writes one every second.
FREQUENT = ("progress", "metric")
# Pages list the newest of these.
MAX_RESTING = 20
# When the templates take turns, a smaller cache would keep none of their candidates.
# Their words are shared: 50,000 texts take about 60 MiB.
KEPT_TEXTS = 50_000


@dataclasses.dataclass(frozen=True, slots=True)
class SimilarTask:
    """An accepted task and the share of words it has in common, 0 to 1."""

    task: Task
    similarity: float


def list_sites() -> QuerySet[Site]:
    return Site.objects.all()


def map_configs(run_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the runs' newest settings as they are stored, in the order asked for."""
    found = dict(Run.objects.filter(pk__in=run_ids).values_list("pk", "config"))
    return {run_id: found[run_id] for run_id in run_ids if run_id in found}


def map_evolved(phase_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """Return how many tasks evolved in each phase and have each status.

    The phases are listed by id: only then does the database read the index alone.
    """
    rows = (
        Task.objects.filter(born_in_id__in=phase_ids)
        .order_by()
        .values_list("born_in_id", "status")
        .annotate(n=Count("pk"))
    )
    return {(phase_id, status): n for phase_id, status, n in rows}


def list_run_choices(run_ids: Collection[int] = (), limit: int = 100) -> list[Run]:
    """Return the newest runs, and those with the ids, regardless of their age."""
    runs = list(Run.objects.only("name")[:limit])
    older = set(run_ids) - {run.pk for run in runs}
    return [*runs, *Run.objects.only("name").filter(pk__in=older)] if older else runs


def filter_tasks(
    *,
    site: str = "",
    split: str = "",
    origin: str = "",
    status: str = "",
    phase: int | None = None,
    born_in: int | None = None,
    value_from: float | None = None,
    value_to: float | None = None,
    text: str = "",
    flagged: str = "",
) -> QuerySet[Task]:
    """Newest tasks first; `phase` means attempted in it or evolved from it.

    `born_in` means evolved from that phase only. `value_from` and `value_to` bound the
    critic's value, both included.
    """
    tasks = Task.objects.select_related("site", "born_in__run").order_by("-id")
    exact = {"site__key": site, "split": split, "origin": origin, "status": status}
    tasks = tasks.filter(**{name: value for name, value in exact.items() if value})
    if born_in:
        tasks = tasks.filter(born_in_id=born_in)
    if phase:
        attempted = Phase.tasks.through.objects.filter(phase_id=phase)
        tasks = tasks.filter(
            Q(born_in_id=phase) | Q(pk__in=attempted.values("task_id"))
        )
    bounds = {"value_estimate__gte": value_from, "value_estimate__lte": value_to}
    tasks = tasks.filter(**{k: v for k, v in bounds.items() if v is not None})
    if text:
        tasks = tasks.filter(Q(instruction__icontains=text) | Q(key__icontains=text))
    if flagged:
        standing = Flag.objects.filter(settled_at=None)
        tasks = tasks.filter(pk__in=standing.values("task_id"))
    return tasks


def tasks_with_family() -> QuerySet[Task]:
    """Tasks with four generations of ancestors, in one query."""
    return Task.objects.select_related(
        "site", "born_in__run", "leased_by", "parent__parent__parent__parent"
    )


def list_ancestors(task: Task) -> list[Task]:
    """Oldest first, at most four; `task` comes from `tasks_with_family`."""
    line: list[Task] = []
    parent = task.parent
    while parent is not None and len(line) < 4:
        line.insert(0, parent)
        parent = parent.parent if len(line) < 4 else None
    return line


def list_reviews(task: Task, only_by: User | None = None) -> list[Review]:
    """Return the decisions about a task: all of them, or one person's.

    Other people's decisions about it as a gold item are left out: they must stay
    secret. The person's own decisions are included, as for any task.
    """
    reviews = task.reviews.select_related("reviewer")
    if only_by:
        return list(reviews.filter(reviewer=only_by))
    return list(reviews.exclude(kind=Review.Kind.GOLD))


@functools.lru_cache(maxsize=KEPT_TEXTS)
def _words(text: str) -> frozenset[str]:
    """Return the words of an instruction; cached, since the same ones recur."""
    return frozenset(map(sys.intern, re.findall(r"\w+", text.lower())))


@functools.lru_cache(maxsize=KEPT_TEXTS)
def _names(text: str) -> frozenset[str]:
    """Return what an instruction is about: quoted words, names and numbers.

    >>> sorted(_names('Where does Tina live, at "Red House" or in 7?'))
    ['7', 'Red House', 'Tina']
    """
    quoted = re.findall(r'"([^"]*)"', text)
    rest = re.sub(r'"[^"]*"', " ", text)
    # The first word of a sentence always has a capital.
    named = re.findall(r"(?<![.?!] )(?<!^)\b[A-Z]\w+", rest)
    found = (*quoted, *named, *re.findall(r"\d+", rest))
    return frozenset(map(sys.intern, found))


def list_similar_tasks(task: Task) -> list[SimilarTask]:
    """Accepted tasks of the same site that share words; nearest first.

    Tasks about the same names come before tasks that ask the same about others: only
    the former are duplicates.
    """
    words, names = _words(task.instruction), _names(task.instruction)
    shares, strange = {}, {}
    for pk, instruction in _list_accepted(task.site_id, task.template_key):
        theirs = _words(instruction)
        if pk != task.pk and (common := len(words & theirs)):
            shares[pk] = common / (len(words) + len(theirs) - common)
            strange[pk] = names != _names(instruction)
    ordered = sorted(shares, key=lambda pk: (strange[pk], -shares[pk]))
    nearest = ordered[: len(PLACES)]
    if not nearest:
        return []
    given: dict[str, Any] = dict.fromkeys(PLACES, nearest[0])
    given.update(zip(PLACES, nearest, strict=False))
    found = {one.pk: one for one in NEAREST.ask(**given)}
    return [SimilarTask(found[pk], shares[pk]) for pk in nearest if pk in found]


# The nearest five; where there are fewer, one of them fills the other places.
PLACES = ("first", "second", "third", "fourth", "fifth")
# A gold item that is shown as accepted here would be recognised when it comes.
NEAREST = PreparedObjects(
    lambda: Task.objects.filter(
        gold__isnull=True, pk__in=[number(place) for place in PLACES]
    ).only("instruction")
)


def _list_accepted(site_id: int, template_key: str) -> list[tuple[int, str]]:
    """Return ids and instructions of a template's newest accepted tasks.

    Kept for some seconds: each task of a template is compared with all of them.
    """
    key = f"accepted:{site_id}:{template_key}"
    found: list[tuple[int, str]] | None = cache.get(key)
    if found is None:
        rows = ACCEPTED.ask(site=site_id, template=template_key)
        found = [(pk, instruction) for pk, instruction in rows]
        cache.set(key, found, ACCEPTED_S)
    return found


def _accepted() -> QuerySet[Task, tuple[int, str]]:
    accepted = Task.objects.filter(
        site_id=number("site"), template_key=text("template")
    )
    accepted = accepted.filter(status=Task.Status.ACCEPTED, gold__isnull=True)
    texts = accepted.order_by("-id").values_list("pk", "instruction")
    return texts[:SIMILAR_CANDIDATES]


ACCEPTED = Prepared(_accepted)


def count_waiting_for(reviewer_id: int) -> int:
    """Return how many tasks this person can decide now.

    Tasks that they have decided or that others hold do not count.
    """
    held = Q(leased_by_id=reviewer_id) | is_free(database_now())
    return tasks_waiting_for(reviewer_id).filter(held).count()


def count_disputes() -> int:
    return list_disputes().count()


def list_tags() -> list[str]:
    """Return the tags of all runs, by name."""
    texts = Run.objects.exclude(tags="").order_by().values_list("tags", flat=True)
    return sorted({name for text in texts.distinct() for name in text.split()})


def list_runs(tag: str = "") -> QuerySet[Run]:
    """Newest first, with the newest phase's number, id and status."""
    newest = Phase.objects.filter(run=OuterRef("pk")).order_by("-number")
    runs = Run.objects.select_related("created_by").annotate(
        phase_count=Count("phases"),
        last_phase_id=Subquery(newest.values("pk")[:1]),
        last_phase_status=Subquery(newest.values("status")[:1]),
    )
    tagged = runs.filter(tags__contains=f" {tag} ") if tag else runs
    return tagged.order_by("-id")


def map_last_moves(run_ids: Collection[int]) -> dict[int, dt.datetime]:
    """Return when anything last happened in each run's newest phase that began."""
    events = PhaseEvent.objects.filter(phase=OuterRef("pk")).order_by("-id")
    phases = Phase.objects.filter(run_id__in=run_ids).annotate(
        moved_at=Subquery(events.values("created_at")[:1])
    )
    rows = phases.order_by("run_id", "number").values_list("run_id", "moved_at")
    # The newest phase comes last and is kept.
    return {run_id: moved_at for run_id, moved_at in rows if moved_at}


def is_run_name_taken(name: str) -> bool:
    return Run.objects.filter(name=name).exists()


def suggest_run_name(name: str) -> str:
    """Return the next free name of the series "a", "a 2", "a 3"; after "a 7", "a 8".

    A longer number is not counted on: it is a date, or part of the name.
    """
    found = re.fullmatch(r"(.*) (\d{1,4})", name)
    stem, number = (found[1], int(found[2])) if found else (name, 1)
    stem = stem[:90]
    taken = set(
        Run.objects.filter(name__startswith=stem).values_list("name", flat=True)
    )
    return next(
        free
        for i in itertools.count(number + 1)
        if (free := f"{stem} {i}") not in taken
    )


def list_phases(run_id: int) -> list[Phase]:
    """All phases of a run, oldest first, with how many tasks each attempts."""
    phases = Phase.objects.filter(run_id=run_id).select_related("run")
    return list(phases.annotate(task_count=Count("tasks")).order_by("number"))


def find_moving_phase(run_ids: Collection[int]) -> Phase | None:
    """The newest phase of these runs that is moving."""
    resting = (Phase.Status.CLOSED, *RESTING)
    phases = Phase.objects.filter(run_id__in=run_ids).exclude(status__in=resting)
    return phases.select_related("run").order_by("-id").first()


def list_moving_phases() -> list[Phase]:
    """Return every phase with work to do or in review, newest first."""
    phases = Phase.objects.exclude(status__in=(Phase.Status.CLOSED, *RESTING))
    return list(phases.select_related("run").order_by("-id"))


def list_open_phases() -> list[Phase]:
    """Return the moving phases and the newest that stopped or failed, newest first."""
    resting = Phase.objects.filter(status__in=RESTING).order_by("-id").values("pk")
    is_moving = ~Q(status__in=(Phase.Status.CLOSED, *RESTING))
    phases = Phase.objects.filter(is_moving | Q(pk__in=resting[:MAX_RESTING]))
    return list(phases.select_related("run").order_by("-id"))


def list_evolving_phases() -> list[Phase]:
    """Return the phases whose tasks are next to reach a review, oldest first."""
    evolving = Phase.objects.filter(status=Phase.Status.EVOLVING)
    return list(evolving.select_related("run").order_by("id")[:5])


def count_evolved(phase_id: int) -> dict[str, int]:
    """Tasks evolved from a phase's failures, by status."""
    rows = Task.objects.filter(born_in_id=phase_id).values_list("status")
    return dict(rows.annotate(Count("pk")).order_by("status"))


def list_events(phase_id: int, limit: int = 120) -> list[PhaseEvent]:
    """Newest first.

    Reports that come every second do not push the others out of the list.
    """
    events = PhaseEvent.objects.filter(phase_id=phase_id).order_by("-id")
    lasting = events.exclude(kind__in=FREQUENT)[:limit]
    frequent = events.filter(kind__in=FREQUENT)[:limit]
    return sorted([*lasting, *frequent], key=lambda event: event.pk, reverse=True)


def find_last_event_id() -> int:
    """Newest event of any phase, after which the home page's socket starts."""
    newest = PhaseEvent.objects.order_by("-id").values_list("pk", flat=True).first()
    return newest or 0
