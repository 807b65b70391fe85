"""What can be exported: the columns of each table, and its rows in batches by key.

Rows are fetched in batches, each starting where the last one ended, so that no
transaction stays open and memory is constant for a table of any length.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Literal

from django.db.models import F, QuerySet

from curriculum.forms import FilterForm, ReviewFilterForm, TaskFilterForm
from curriculum.selectors.readers import Reader
from curriculum.selectors.reviewing.opinions import list_reviews, list_tasks
from rollouts.forms import TrajectoryFilterForm
from rollouts.models import Step
from rollouts.selectors.pages import filter_trajectories

BATCH = 2000
# Steps carry whole pages: fewer of them fit.
EPISODES = 50

Kind = Literal["text", "integer", "number", "flag", "time", "json"]
Row = tuple[Any, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in the file, where it comes from, what it holds."""

    name: str
    path: str
    kind: Kind = "text"


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """One list that can be exported.

    Attributes:
        columns: In the order of the file.
        filter_form: The filters of its page.
        rows: Takes the reader and the filters' values; gives rows, oldest first.
        group: Number of rows that a columnar file holds in memory together.
    """

    columns: tuple[Column, ...]
    filter_form: type[FilterForm]
    rows: Callable[[Reader, dict[str, Any]], Iterator[Row]]
    group: int = 10_000

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def walk(rows: QuerySet[Any], paths: list[str], batch: int = BATCH) -> Iterator[Row]:
    """Yield the rows' values by rising id, a batch a query."""
    ordered, last = rows.order_by("pk"), 0
    while True:
        found = list(ordered.filter(pk__gt=last).values_list("pk", *paths)[:batch])
        for row in found:
            yield row[1:]
        if len(found) < batch:
            return
        last = found[-1][0]


def walk_steps(trajectories: QuerySet[Any], paths: list[str]) -> Iterator[Row]:
    """Yield the steps that count, episode after episode."""
    ordered, last = trajectories.order_by("pk"), 0
    while True:
        ids = list(ordered.filter(pk__gt=last).values_list("pk", flat=True)[:EPISODES])
        if not ids:
            return
        steps = Step.objects.filter(
            trajectory_id__in=ids, attempt=F("trajectory__attempt")
        )
        yield from steps.order_by("trajectory_id", "index").values_list(*paths)
        last = ids[-1]


def _columns(text: str) -> tuple[Column, ...]:
    """Read "name=path:kind" words; the path is the name, the kind text, if left out."""
    columns = []
    for word in text.split():
        rest, _, kind = word.partition(":")
        name, _, path = rest.partition("=")
        columns.append(Column(name, path or name, kind or "text"))  # type: ignore[arg-type]
    return tuple(columns)


TASKS = _columns(
    "id:integer key=shown_key site=site__key instruction start_url "
    "template_key split origin status=shown_status optimal_steps:integer "
    "parent=parent_id:integer born_in=shown_born_in:integer "
    "value_estimate=shown_value:number is_feasible=shown_feasible:flag "
    "feasibility_reason=shown_feasibility filter_reason=shown_filter_reason "
    "opinion_hidden:flag "
    "status_hidden=is_covered:flag "
    "was_auto_accepted=shown_auto:flag spec:json created_at=shown_birth:time"
)
TRAJECTORIES = _columns(
    "id:integer phase=phase_id:integer run=phase__run_id:integer "
    "task=task_id:integer task_key=task__key site=task__site__key "
    "instruction=task__instruction purpose repeat:integer seed:integer status "
    "attempt:integer ended_by answer step_count:integer final_url outcome:flag "
    "success_probability:number reward:number failure_class failure_reason "
    "started_at:time ended_at:time author=takeover__author__username "
    "forked_from=takeover__forked_from_id:integer "
    "forked_at=takeover__forked_at:integer kept_at=takeover__kept_at:time"
)
STEPS = _columns(
    "id:integer trajectory=trajectory_id:integer index:integer url title observation "
    "output action:json error target_box:json snapshot screenshot timing:json "
    "log_probability:number token_count:integer created_at:time"
)
REVIEWS = _columns(
    "id:integer task=task_id:integer task_key=shown_key "
    "phase=shown_phase:integer reviewer=reviewer__username kind=shown_kind decision "
    "first_decision original_instruction edited_instruction reason skip_to note "
    "guideline=guideline__version:integer batch=batch_id:integer "
    "seconds_spent:number created_at:time undone_at:time"
)


def _paths(columns: tuple[Column, ...]) -> list[str]:
    return [column.path for column in columns]


TABLES: dict[str, Table] = {
    "tasks": Table(
        TASKS,
        TaskFilterForm,
        lambda reader, filters: walk(
            list_tasks(reader=reader, **filters), _paths(TASKS)
        ),
    ),
    "trajectories": Table(
        TRAJECTORIES,
        TrajectoryFilterForm,
        lambda reader, filters: walk(
            filter_trajectories(**filters), _paths(TRAJECTORIES)
        ),
    ),
    "steps": Table(
        STEPS,
        TrajectoryFilterForm,
        lambda reader, filters: walk_steps(
            filter_trajectories(**filters), _paths(STEPS)
        ),
        group=1000,
    ),
    "reviews": Table(
        REVIEWS,
        ReviewFilterForm,
        lambda reader, filters: walk(
            list_reviews(reader=reader, **filters), _paths(REVIEWS)
        ),
    ),
}
