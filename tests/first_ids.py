"""Ids that no test can guess, on SQLite as on PostgreSQL."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import connection, models

FIRST_ID = 700
"""Far above what a test writes by hand, and far below what it takes for missing."""


def skip_first_ids() -> None:
    """Let each table count from a number of its own."""
    with connection.cursor() as cursor:
        for place, model in enumerate(apps.get_models(include_auto_created=True)):
            if isinstance(model._meta.pk, models.AutoField):
                _start_at(cursor, model, FIRST_ID + place)


def _start_at(cursor: Any, model: type[models.Model], first: int) -> None:
    table = model._meta.db_table
    if connection.vendor == "sqlite":
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
        cursor.execute(
            "INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, first - 1]
        )
    else:
        names = (table, model._meta.pk.get_attname())
        quoted = [connection.ops.quote_name(name) for name in names]
        sql = "ALTER TABLE {} ALTER COLUMN {} RESTART WITH {}"
        cursor.execute(sql.format(*quoted, first))
