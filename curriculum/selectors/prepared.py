"""Queries that Django composes once a process and then asks with new values.

Composing takes several times as long as an index takes to answer. For the few
queries that every decision asks, the SQL is kept with the places of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models import Expression, QuerySet


class Given(Expression):
    """A value that is named when a query is composed, and given when it is asked."""

    def __init__(self, name: str, field: models.Field[Any, Any]) -> None:
        """`field` says how the database wants to have the value."""
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        """Leave a place for the value."""
        return "%s", [self]

    def bind(self, given: Mapping[str, Any]) -> Any:
        """Return the value as the database wants it.

        Raises:
            KeyError: It is not given.
            ValueError: It is None, which is compared by other SQL.
        """
        if (value := given[self.name]) is None:
            raise ValueError(f"{self.name} is None.")
        return self.output_field.get_db_prep_value(value, connection, prepared=False)


def number(name: str) -> Any:
    """Return the place of a whole number, as an id."""
    return Given(name, models.BigIntegerField())


def text(name: str) -> Any:
    """Return the place of a text."""
    return Given(name, models.TextField())


def moment(name: str) -> Any:
    """Return the place of a time."""
    return Given(name, models.DateTimeField())


class _Composed(NamedTuple):
    sql: str
    params: tuple[Any, ...]
    converters: Mapping[int, tuple[list[Callable[..., Any]], Any]]


class Prepared:
    """A query whose SQL is composed when it is first asked.

    What decides its shape (filters, joins, the number of values in a list) is fixed;
    what differs from one time to the next is `Given`.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        """`build` returns a queryset of `values_list` with `Given` in its filters."""
        self._build = build
        self._composed: dict[str, _Composed] = {}

    def ask(self, **given: Any) -> list[tuple[Any, ...]]:
        """Return the rows for these values.

        Raises:
            KeyError: A value is missing.
        """
        composed = self._compose()
        bound = [
            one.bind(given) if isinstance(one, Given) else one
            for one in composed.params
        ]
        with connection.cursor() as cursor:
            cursor.execute(composed.sql, bound)
            rows = cursor.fetchall()
        return [_convert(row, composed.converters) for row in rows]

    def _compose(self) -> _Composed:
        found = self._composed.get(connection.vendor)
        if found is None:
            compiler = self._build().query.get_compiler(connection=connection)
            try:
                sql, params = compiler.as_sql()
            except EmptyResultSet:
                raise ValueError("The query can never return a row.") from None
            converters = compiler.get_converters([one for one, *_ in compiler.select])
            found = _Composed(sql, tuple(params), converters)
            self._composed[connection.vendor] = found
        return found


def _convert(row: tuple[Any, ...], converters: Any) -> tuple[Any, ...]:
    """Return the values as their fields have them."""
    if not converters:
        return tuple(row)
    values = list(row)
    for index, (steps, expression) in converters.items():
        for step in steps:
            values[index] = step(values[index], expression, connection)
    return tuple(values)
