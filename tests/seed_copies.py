"""The example's rows, written once by a process and copied into each test after it.

A test takes its rows back, so the next one needs the same again. Writing them goes
through every model; copying them takes a few statements, on PostgreSQL one message.
Times move along: what was two minutes ago for the first test is two minutes ago for
each.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, models, transaction
from django.utils import timezone

from curriculum.models import Phase, Run, Task
from rollouts.models import Trajectory
from tests.seed import Example, store_pages, write_example

# Of one statement, where the database sets no limit; and examples of a process.
MAX_VALUES, MAX_KEPT = 10_000, 8

# By how much times move, as PostgreSQL knows it during a transaction.
LATER = "seed.later"
MOVED = f"%s::timestamptz + current_setting('{LATER}')::interval"

Row = tuple[Any, ...]
# The newest key of each table: which rows there were before.
Before = tuple[Any, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """The rows that a table got, as the database gives and takes them."""

    model: type[models.Model]
    rows: list[Row]

    def insert(self, later: dt.timedelta) -> None:
        """Write the rows again, with their times so much later."""
        fields = self.model._meta.concrete_fields
        times = [i for i, f in enumerate(fields) if isinstance(f, models.DateTimeField)]
        rows = [_move(row, times, later) for row in self.rows]
        size = (connection.features.max_query_params or MAX_VALUES) // len(fields)
        for start in range(0, len(rows), size):
            self._insert(rows[start : start + size])

    def compose(self) -> str:
        """Return a statement of PostgreSQL that writes the rows, their times LATER."""
        fields = self.model._meta.concrete_fields
        marks = [MOVED if isinstance(f, models.DateTimeField) else "%s" for f in fields]
        values = ", ".join([f"({', '.join(marks)})"] * len(self.rows))
        ops: Any = connection.ops  # PostgreSQL's have more
        return ops.compose_sql(
            f"INSERT INTO {_quote(self.model._meta.db_table)} "
            f"({_columns(self.model)}) VALUES {values}",
            [value for row in self.rows for value in row],
        )

    def _insert(self, rows: Sequence[Row]) -> None:
        table, columns = _quote(self.model._meta.db_table), _columns(self.model)
        marks = f"({', '.join(['%s'] * len(rows[0]))})"
        values = ", ".join([marks] * len(rows))
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} ({columns}) VALUES {values}",
                [value for row in rows for value in row],
            )


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """An example that was written: when, into which tables, and its rows' keys.

    `script` writes all tables where the database takes several statements at once.
    """

    written_at: dt.datetime
    tables: list[Table]
    example: Example
    script: str

    def copy(self) -> Example:
        """Write the rows again and return them as they stand in the database."""
        store_pages()
        later = timezone.now() - self.written_at
        # Rows name rows of later tables.
        with transaction.atomic():
            if self.script:
                _run(self.script, later)
            else:
                for table in self.tables:
                    table.insert(later)
        return _read_again(self.example)


def _run(script: str, later: dt.timedelta) -> None:
    """Run a script of PostgreSQL without parameters, for which it would be parsed."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL {LATER} = '{later.total_seconds()} s'; {script}")


_kept: dict[tuple[Any, ...], Kept] = {}


def copy_example(**options: int) -> Example:
    """Return what `write_example` would; the database holds no example yet.

    Where other rows stand already than before the first time, it is written anew.
    """
    before = _find_newest()
    key = (tuple(sorted(options.items())), before)
    kept = _kept.pop(key, None)
    if kept is None:
        kept = _write(before, **options)
        # Not the kept objects themselves: tests change what they are given.
        example = _read_again(kept.example)
    else:
        example = kept.copy()
    _kept[key] = kept  # as the one that was used last
    if len(_kept) > MAX_KEPT:
        del _kept[next(iter(_kept))]
    return example


def _write(before: Before, **options: int) -> Kept:
    now = timezone.now()
    example = write_example(**options)
    found = zip(_models(), _read_new(before), strict=True)
    tables = [Table(model, rows) for model, rows in found if rows]
    takes_script = connection.vendor == "postgresql"
    script = "; ".join(table.compose() for table in tables) if takes_script else ""
    return Kept(now, tables, example, script)


def _models() -> list[type[models.Model]]:
    found = apps.get_models(include_auto_created=True)
    return [model for model in found if model._meta.managed]


def _quote(name: str | None) -> str:
    return connection.ops.quote_name(name or "")


def _columns(model: type[models.Model]) -> str:
    return ", ".join(_quote(field.column) for field in model._meta.concrete_fields)


def _find_newest() -> Before:
    """Return the newest key of each table, in one query; None where it is empty."""
    parts = ", ".join(
        f"(SELECT max({_quote(model._meta.pk.column)}) "
        f"FROM {_quote(model._meta.db_table)})"
        for model in _models()
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {parts}")
        return tuple(cursor.fetchone())


def _read_new(before: Before) -> Iterable[list[Row]]:
    """Yield what each table holds beyond these keys."""
    for model, newest in zip(_models(), before, strict=True):
        key, table = _quote(model._meta.pk.column), _quote(model._meta.db_table)
        where, given = (f" WHERE {key} > %s", [newest]) if newest else ("", [])
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {_columns(model)} FROM {table}{where}", given)
            yield cursor.fetchall()


def _move(row: Row, times: Sequence[int], later: dt.timedelta) -> Row:
    moved = list(row)
    for i in times:
        moved[i] = row[i] and row[i] + later
    return tuple(moved)


def _read_again(example: Example) -> Example:
    """Return the same rows with what stands around them, as whoever wrote them has."""
    people = User.objects.in_bulk(
        [example.annotator.pk, example.researcher.pk, example.admin.pk]
    )
    phases = Phase.objects.select_related("run__created_by", "created_by").in_bulk()
    tasks = Task.objects.select_related("site", "parent", "born_in__run")
    evolved = tasks.in_bulk([task.pk for task in example.evolved])
    return Example(
        annotator=people[example.annotator.pk],
        researcher=people[example.researcher.pk],
        admin=people[example.admin.pk],
        run=Run.objects.select_related("created_by").get(pk=example.run.pk),
        closed_phase=phases[example.closed_phase.pk],
        review_phase=phases[example.review_phase.pk],
        running_phase=phases[example.running_phase.pk],
        failed_phase=phases[example.failed_phase.pk],
        evolved=[evolved[task.pk] for task in example.evolved],
        trajectory=Trajectory.objects.select_related("task", "phase").get(
            pk=example.trajectory.pk
        ),
    )
