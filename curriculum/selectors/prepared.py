"""Queries that Django composes once per process and then runs with new values.

Composing a query takes several times as long as the index lookup. For the few queries
that every decision runs, the SQL is kept with placeholders for its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection, models, transaction
from django.db.models import Expression, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=models.Model)


class Given(Expression):
    """A value that is named when a query is composed, and given when it runs."""

    def __init__(self, name: str, field: models.Field[Any, Any]) -> None:
        """`field` converts the value for the database."""
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Emit the value's placeholder."""
        return "%s", [self]

    def bind(self, given: Mapping[str, Any]) -> Any:
        """Return the value in the database's form.

        Raises:
            KeyError: It is not given.
            ValueError: It is None, which is compared by other SQL.
        """
        if (value := given[self.name]) is None:
            raise ValueError(f"{self.name} is None.")
        return self.output_field.get_db_prep_value(value, connection, prepared=False)


def number(name: str) -> Any:
    """Return the placeholder of a whole number, such as an id."""
    return Given(name, models.BigIntegerField())


def text(name: str) -> Any:
    """Return the placeholder of a text."""
    return Given(name, models.TextField())


def moment(name: str) -> Any:
    """Return the placeholder of a time."""
    return Given(name, models.DateTimeField())


class _Composed(NamedTuple):
    sql: str
    params: tuple[Any, ...]
    converters: Mapping[int, tuple[list[Callable[..., Any]], Any]]
    compiler: Any


class _Query:
    """A query whose SQL is composed when it first runs.

    Its form (filters, joins, the number of values in a list) is fixed; values that
    change between runs are `Given`.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        self._build = build
        self._composed: dict[str, _Composed] = {}

    def _fetch(self, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        composed = self._compose()
        with connection.cursor() as cursor:
            cursor.execute(composed.sql, _bind(composed.params, given))
            rows = cursor.fetchall()
        return [_convert(row, composed.converters) for row in rows]

    def _compose(self) -> _Composed:
        found = self._composed.get(connection.vendor)
        if found is None:
            compiler = self._build().query.get_compiler(using=connection.alias)
            try:
                sql, params = compiler.as_sql()
            except EmptyResultSet:
                raise ValueError("The query can never return a row.") from None
            converters = compiler.get_converters([one for one, *_ in compiler.select])
            found = _Composed(sql, tuple(params), converters, compiler)
            self._composed[connection.vendor] = found
        return found


class Prepared(_Query):
    """A prepared query for values."""

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        """`build` returns a queryset of `values_list` with `Given` in its filters."""
        super().__init__(build)

    def ask(self, **given: Any) -> list[tuple[Any, ...]]:
        """Return the rows for these values.

        Raises:
            KeyError: A value is missing.
        """
        return self._fetch(given)


class _Layout(NamedTuple):
    """The columns of a row that belong to an object and to its relations."""

    model: Any
    names: list[str]
    related: list[Any]


class PreparedObjects(_Query, Generic[M]):
    """A prepared query for objects, with those that `select_related` names."""

    def __init__(self, build: Callable[[], QuerySet[M]]) -> None:
        """`build` returns a queryset with `Given` in its filters."""
        super().__init__(build)
        self._layouts: dict[str, _Layout] = {}

    def ask(self, **given: Any) -> list[M]:
        """Return the objects for these values, new ones each time.

        Raises:
            KeyError: A value is missing.
        """
        rows = self._fetch(given)
        layout = self._lay_out()
        return [self._make(row, layout) for row in rows]

    def first(self, **given: Any) -> M | None:
        """Return the first object, None if there is none."""
        return next(iter(self.ask(**given)), None)

    def _lay_out(self) -> _Layout:
        found = self._layouts.get(connection.vendor)
        if found is None:
            compiler = self._compose().compiler
            info, select = compiler.klass_info, compiler.select
            # The object's own columns come first, its relations' after them.
            own = select[: info["select_fields"][-1] + 1]
            names = [column.target.attname for column, *_ in own]
            alias = connection.alias
            # The types are those of Django 6, which requires a further argument.
            related = get_related_populators(info, select, alias)  # type: ignore[call-arg]
            found = _Layout(info["model"], names, related)
            self._layouts[connection.vendor] = found
        return found

    @staticmethod
    def _make(row: tuple[Any, ...], layout: _Layout) -> M:
        own = row[: len(layout.names)]
        made: M = layout.model.from_db(connection.alias, layout.names, own)
        for one in layout.related:
            one.populate(row, made)
        return made


class PreparedUpdate:
    """A prepared update of the rows that a queryset finds."""

    def __init__(self, build: Callable[[], QuerySet[Any]], **values: Any) -> None:
        """`build` returns a queryset; `Given` may occur in it and among the values."""
        self._build, self._values = build, values
        self._composed: dict[str, tuple[str, Sequence[Any]]] = {}

    def carry_out(self, **given: Any) -> int:
        """Update the rows; return how many there were.

        Raises:
            KeyError: A value is missing.
        """
        sql, params = self._compose()
        # A transaction in which this fails is marked for rollback, as by Django itself.
        whole = transaction.mark_for_rollback_on_error(using=connection.alias)
        with whole, connection.cursor() as cursor:
            cursor.execute(sql, _bind(params, given))
            return int(cursor.rowcount)

    def _compose(self) -> tuple[str, Sequence[Any]]:
        found = self._composed.get(connection.vendor)
        if found is None:
            query: Any = self._build().query.chain(UpdateQuery)
            query.add_update_values(self._values)
            query.clear_ordering(force=True)
            found = query.get_compiler(using=connection.alias).as_sql()
            self._composed[connection.vendor] = found
        return found


def _bind(params: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
    return [one.bind(given) if isinstance(one, Given) else one for one in params]


def _convert(row: tuple[Any, ...], converters: Any) -> tuple[Any, ...]:
    """Return the values as their fields have them."""
    if not converters:
        return tuple(row)
    values = list(row)
    for index, (steps, expression) in converters.items():
        for step in steps:
            values[index] = step(values[index], expression, connection)
    return tuple(values)
