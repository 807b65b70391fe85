"""Which tasks a person may decide, and the decisions so far."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value

from curriculum.models import DeskKeys, FirstLook, Flag, GoldItem, Phase, Review, Task
from curriculum.phase_config import ReviewConfig
from curriculum.rules.desk_keys import complete_keys
from curriculum.selectors.prepared import Prepared, moment, number

IS_RIGHT = Q(task__gold__accepts=True) ^ Q(decision=Review.Decision.REJECT)
# Thousands of rows are counted; each decision updates the cached figure for all.
COUNT_S = 1.0
# Counting a phase takes 0.7 ms with 5,000 tasks and 9 ms with 40,000. Each decision
# counts up to so many again, and larger phases when so many are left, so that the last
# counts are exact.
COUNTED_ANEW, LAST_COUNTED_ANEW = 1000, 200
PASSED = "desk:passed"
FOR_GOOD = (Review.SkipTo.OTHERS, Review.SkipTo.DROP)
# What the desk shows of a task and asks of its run: a third of all columns.
SHOWN = (
    "instruction",
    "start_url",
    "split",
    "template_key",
    "digest",
    "value_estimate",
    "is_feasible",
    "feasibility_reason",
    "lease_token",
    "site__name",
    "site__kind",
    "parent__instruction",
    "born_in__number",
    "born_in__run__name",
    "born_in__run__config",
)


class Remark(NamedTuple):
    """A note of a person who left a task undecided: a flag, or the reason of a skip."""

    is_flag: bool
    author: str
    note: str


def read_review_config(phase: Phase | None) -> ReviewConfig:
    """Return how the phase's run reviews; `phase` comes with its run."""
    given: dict[str, Any] = phase.run.config.get("review", {}) if phase else {}
    return ReviewConfig(**given)


def standing_votes() -> QuerySet[Review]:
    """Return people's own decisions that count: neither skipped nor taken back."""
    return Review.objects.filter(kind=Review.Kind.REVIEW, undone_at=None).exclude(
        decision=Review.Decision.SKIP
    )


def tasks_in_review(
    phase_id: int | None = None, tasks: QuerySet[Task] | None = None
) -> QuerySet[Task]:
    """Return which of `tasks` wait for people's decisions, in all phases or in one."""
    waiting = (Task.objects.all() if tasks is None else tasks).filter(
        status=Task.Status.SHORTLISTED, born_in__status=Phase.Status.REVIEW
    )
    return waiting.filter(born_in_id=phase_id) if phase_id else waiting


def count_by_status(tasks: QuerySet[Task]) -> Counter[str]:
    """Return how many are decided or undecided, by status, from the index alone."""
    return Counter(dict(_by_status(tasks)))


def _by_status(tasks: QuerySet[Task]) -> QuerySet[Task, tuple[str, int]]:
    rows = tasks.filter(status__in=(*Task.UNDECIDED, *Task.DECIDED)).order_by()
    counted = rows.values("status").annotate(n=Count("pk"))
    return counted.values_list("status", "n")


COUNTS = Prepared(lambda: _by_status(Task.objects.filter(born_in_id=number("phase"))))


def count_review(phase_id: int, *, anew: bool = False) -> Counter[str]:
    """Return a phase's `count_by_status`, at most `COUNT_S` seconds old.

    A decision counts `anew`, which updates the figure for all readers.
    """
    key = f"desk:count:{phase_id}"
    counted: Counter[str] | None = None if anew else cache.get(key)
    if counted is None:
        counted = Counter(dict(COUNTS.ask(phase=phase_id)))
        cache.set(key, counted, COUNT_S)
    return counted


def count_after_one(phase_id: int) -> Counter[str] | None:
    """Return the count after a single decision: a new one where cheap or at the end.

    A large phase notifies its pages once in `COUNT_S` seconds; None until then.
    """
    counted = count_review(phase_id)
    left = sum(counted[status] for status in Task.UNDECIDED)
    if counted.total() <= COUNTED_ANEW or left <= LAST_COUNTED_ANEW:
        return count_review(phase_id, anew=True)
    return counted if cache.add(f"desk:told:{phase_id}", True, COUNT_S) else None


def is_review_over(phase_id: int) -> bool:
    """Say whether no task of the phase waits for a decision.

    Called after each decision, which has just counted. Of two decisions that are
    written at the same time neither sees the other: the sweep checks again.
    """
    counted = count_review(phase_id)
    return not any(counted[status] for status in Task.UNDECIDED)


def tasks_on_desk() -> QuerySet[Task]:
    """Return tasks with what the desk shows of them, in one query."""
    tasks = Task.objects.select_related("site", "parent", "born_in__run")
    return tasks.only(*SHOWN)


def tasks_waiting_for(
    reviewer_id: int,
    phase_id: int | None = None,
    tasks: QuerySet[Task] | None = None,
) -> QuerySet[Task]:
    """Return the `tasks` that this person has neither decided nor left to others."""
    mine = Review.objects.filter(
        Q(kind=Review.Kind.REVIEW, undone_at=None),
        ~Q(decision=Review.Decision.SKIP) | Q(skip_to__in=FOR_GOOD),
        task=OuterRef("pk"),
        reviewer_id=reviewer_id,
    )
    return tasks_in_review(phase_id, tasks).filter(~Exists(mine))


def passed_on() -> QuerySet[Review]:
    """Return the skips with which people passed a task on to others at once."""
    return standing_skips().filter(skip_to=Review.SkipTo.OTHERS)


def standing_skips() -> QuerySet[Review]:
    """Return the skips that have not been taken back."""
    return Review.objects.filter(decision=Review.Decision.SKIP, undone_at=None)


def is_any_passed_on() -> bool:
    """Say whether anything was passed on, as of at most `COUNT_S` seconds ago."""
    found: bool | None = cache.get(PASSED)
    if found is None:
        found = passed_on().exists()
        cache.set(PASSED, found, COUNT_S)
    return found


def forget_passed() -> None:
    """Clear the cached answer: something was passed on, or taken back."""
    cache.delete(PASSED)


def passed_on_by(reviewer_id: int) -> QuerySet[Review]:
    """Return the standing skips with which a person left waiting tasks to others."""
    return Review.objects.filter(
        reviewer_id=reviewer_id,
        decision=Review.Decision.SKIP,
        undone_at=None,
        skip_to__in=FOR_GOOD,
        task__in=tasks_in_review(),
    )


def list_flags(task: Task, reader: User | None = None) -> list[Flag]:
    """Return the standing flags of a task: all of them, or one person's."""
    flags = task.flags.filter(settled_at=None)
    if reader:
        return list(flags.filter(author=reader))
    return list(flags.select_related("author"))


def list_own_flags(task_id: int, author: User) -> list[Remark]:
    """Return what a person wrote with their standing flags of a task."""
    notes = OWN_FLAGS.ask(task=task_id, author=author.pk)
    return [Remark(True, author.get_username(), note) for (note,) in notes]


OWN_FLAGS = Prepared(
    lambda: (
        Flag.objects.filter(
            task_id=number("task"), author_id=number("author"), settled_at=None
        )
        .order_by("id")
        .values_list("note")
    )
)


def is_flagged_by(task_id: int, person_id: int) -> bool:
    """Say whether this person has an open flag on the task."""
    flags = Flag.objects.filter(task_id=task_id, author_id=person_id, settled_at=None)
    return flags.exists()


def list_remarks(task: Task) -> list[Remark]:
    """Return what people wrote about a waiting task, in one query: flags first."""
    flags = Flag.objects.filter(task=task, settled_at=None).annotate(is_flag=Value(1))
    passes = Review.objects.filter(
        task=task, kind=Review.Kind.REVIEW, undone_at=None, skip_to__in=FOR_GOOD
    ).annotate(is_flag=Value(0))
    said = (
        flags.order_by()
        .values_list("is_flag", "author__username", "note")
        .union(
            passes.order_by().values_list("is_flag", "reviewer__username", "note"),
            all=True,
        )
    )
    rows = sorted(said, key=lambda row: -row[0])
    return [Remark(bool(is_flag), author, note) for is_flag, author, note in rows]


def count_flagged() -> int:
    """Return how many tasks a researcher is asked to look at."""
    return Flag.objects.filter(settled_at=None).values("task_id").distinct().count()


def find_first_look(task_id: int, reviewer_id: int) -> str | None:
    """Return what a person decided before they saw the machine's opinion."""
    looks = FirstLook.objects.filter(task_id=task_id, reviewer_id=reviewer_id)
    return looks.values_list("decision", flat=True).first()


def look_blind(task: Task, phase: Phase | None, reviewer_id: int) -> tuple[bool, str]:
    """Say whether the desk hides the machine's opinion of a task, and what was decided.

    Returns (is hidden, the blind decision); the latter is empty where there is none.
    `phase` is the review that the task belongs to, or is mixed into as a gold item.
    """
    if not read_review_config(phase).blind_first:
        return False, ""
    first = find_first_look(task.pk, reviewer_id)
    return first is None, first or ""


def count_changes(phase_id: int | None = None) -> tuple[int, int]:
    """Return how many decisions differ from the blind one, and of how many."""
    looked = standing_votes().exclude(first_decision="")
    if phase_id:
        looked = looked.filter(task__born_in_id=phase_id)
    rejects = Review.Decision.REJECT
    turned = Q(first_decision=rejects) ^ Q(decision=rejects)
    counts = looked.aggregate(n=Count("pk"), turned=Count("pk", filter=turned))
    return counts["turned"], counts["n"]


def is_free(now: datetime) -> Q:
    """Return the condition that a task is not held at present."""
    return Q(leased_until__isnull=True) | Q(leased_until__lt=now)


def list_leased(reviewer_id: int, now: datetime) -> list[int]:
    """Return the ids of the tasks that a person holds, by the end of their leases."""
    return [pk for (pk,) in LEASED.ask(reviewer=reviewer_id, now=now)]


LEASED = Prepared(
    lambda: (
        Task.objects.filter(
            leased_by_id=number("reviewer"), leased_until__gte=moment("now")
        )
        .order_by("leased_until")
        .values_list("pk")
    )
)


def read_keys(person_id: int) -> dict[str, str]:
    """Return the person's keys for the desk, the default ones where none are chosen."""
    chosen = KEYS.ask(person=person_id)
    return complete_keys(chosen[0][0] if chosen else {})


KEYS = Prepared(
    lambda: DeskKeys.objects.filter(person_id=number("person")).values_list("keys")
)


def count_standing(reviewer_id: int) -> int:
    """Return how much a person has decided or skipped, gold items included."""
    return Review.objects.filter(reviewer_id=reviewer_id, undone_at=None).count()


def list_fresh_gold(reviewer_id: int) -> list[int]:
    """Return the ids of the gold tasks that a person has not decided in any way."""
    seen = Review.objects.filter(
        reviewer_id=reviewer_id, undone_at=None, task=OuterRef("task_id")
    )
    fresh = GoldItem.objects.filter(~Exists(seen)).order_by("task_id")
    return list(fresh.values_list("task_id", flat=True))


def count_gold(reviewer_id: int) -> tuple[int, int]:
    """Return how many gold items a person decided rightly, and of how many."""
    counts = gold_decisions().filter(reviewer_id=reviewer_id)
    found = counts.aggregate(n=Count("pk"), right=Count("pk", filter=IS_RIGHT))
    return found["right"], found["n"]


def gold_decisions() -> QuerySet[Review]:
    """Return the standing decisions about tasks that are still gold items."""
    decided = Review.objects.filter(
        kind=Review.Kind.GOLD, undone_at=None, task__gold__isnull=False
    )
    return decided.exclude(decision=Review.Decision.SKIP)


def find_gold(task: Task) -> GoldItem | None:
    return GoldItem.objects.filter(task=task).first()


def list_gold() -> QuerySet[GoldItem]:
    """Return the gold items, newest first, with how often they were decided rightly."""
    standing = Q(
        task__reviews__kind=Review.Kind.GOLD, task__reviews__undone_at=None
    ) & ~Q(task__reviews__decision=Review.Decision.SKIP)
    is_reject = Q(task__reviews__decision=Review.Decision.REJECT)
    right = standing & (Q(accepts=True) ^ is_reject)
    return (
        GoldItem.objects.select_related("task__site", "author")
        .annotate(
            decided=Count("task__reviews", filter=standing),
            right=Count("task__reviews", filter=right),
        )
        .order_by("-id")
    )


def list_disputes() -> QuerySet[Task]:
    """Return the tasks whose reviewers disagree, newest first."""
    disputes = Task.objects.filter(
        status=Task.Status.DISPUTED, born_in__status=Phase.Status.REVIEW
    )
    return disputes.select_related("site", "born_in__run").order_by("-id")


def list_votes(task: Task) -> list[Review]:
    """Return the decisions about a task that count, oldest first."""
    votes = standing_votes().filter(task=task).select_related("reviewer")
    return list(votes.order_by("id"))


def list_verdicts(task_id: int) -> list[tuple[str, str, str]]:
    """Return (decision, edited text, original text) of what counts, oldest first."""
    return [(one, edited, text) for one, edited, text in VERDICTS.ask(task=task_id)]


VERDICTS = Prepared(
    lambda: (
        standing_votes()
        .filter(task_id=number("task"))
        .order_by("id")
        .values_list("decision", "edited_instruction", "original_instruction")
    )
)


def list_shared_votes(phase_id: int | None = None) -> list[tuple[int, str, str]]:
    """Return (task id, person, decision) of the tasks that several people decided."""
    votes = standing_votes()
    if phase_id:
        votes = votes.filter(task__born_in_id=phase_id)
    shared = votes.values("task_id").annotate(people=Count("pk")).filter(people__gt=1)
    rows = votes.filter(task_id__in=shared.order_by().values("task_id"))
    return list(
        rows.order_by("task_id", "reviewer_id").values_list(
            "task_id", "reviewer__username", "decision"
        )
    )
