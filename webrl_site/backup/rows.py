"""All rows as JSON lines, from any database into any other.

One form for SQLite and PostgreSQL, rather than the tools of each: a backup then
restores into either, without client programs of a matching version, and is readable
text. SQLite is copied first, by its own online backup, and PostgreSQL is read in one
transaction that sees one moment; neither blocks other writers.
"""

from __future__ import annotations

import datetime as dt
import errno
import gzip
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.base import DeserializationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from webrl_site.backup.archive import BackupError

SNAPSHOT = "snapshot"
# Made by `migrate`, or useless elsewhere: sign-ins, workers, counts of guesses.
LEFT_OUT = frozenset(
    {
        "contenttypes.contenttype",
        "auth.permission",
        "sessions.session",
        "webrl_site.guesscount",
        "webrl_site.idempotentresponse",
        "webrl_site.worker",
    }
)
# They name permissions and kinds of rows, whose numbers differ by database.
NATURAL = ("auth.group", "auth.user", "admin.logentry")
FIRST = ("auth.group", "auth.user")
# Rows that `migrate` writes and people then change; without people they are as made.
SEEDED = ("curriculum.guideline",)
PER_READ = 500
# SQLITE_IOERR_WRITE, which the module sqlite3 does not name before Python 3.12.
WRITE_FAILED = 10 | 3 << 8


class ExactEncoder(DjangoJSONEncoder):
    """Keeps microseconds, which Django's own encoder cuts to milliseconds."""

    def default(self, o: Any) -> Any:
        """Return the JSON form of a value that JSON does not have."""
        if isinstance(o, dt.datetime):
            return o.isoformat()
        return super().default(o)


def list_models() -> list[type[models.Model]]:
    """Return the models whose rows are kept; people first, to whom others refer."""
    found = {
        model._meta.label_lower: model
        for model in apps.get_models()
        if model._meta.managed and not model._meta.proxy
    }
    names = [*FIRST, *sorted(set(found) - LEFT_OUT - set(FIRST))]
    return [found[name] for name in names]


def list_migrations(using: str = "default") -> list[str]:
    """Return the applied migrations, as `app.name`."""
    applied = MigrationRecorder(connections[using]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)


@contextmanager
def one_moment(folder: Path) -> Iterator[str]:
    """Yield the alias of a database that shows one moment of ours.

    Args:
        folder: Where a copy may be kept meanwhile.
    """
    if connection.vendor == "sqlite":
        with _copied(folder):
            yield SNAPSHOT
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(
                    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
                )
            yield "default"


@contextmanager
def _copied(folder: Path) -> Iterator[None]:
    import sqlite3

    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as name:
        copy = Path(name) / "copy.sqlite3"
        connection.ensure_connection()
        with closing(sqlite3.connect(copy)) as target:
            try:
                connection.connection.backup(target)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode not in (sqlite3.SQLITE_FULL, WRITE_FAILED):
                    raise
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        # Nobody else writes to the copy: the usual precautions are not needed.
        own = {**connection.settings_dict, "NAME": str(copy), "OPTIONS": {}}
        connections[SNAPSHOT] = type(connections["default"])(own, SNAPSHOT)
        try:
            yield
        finally:
            connections[SNAPSHOT].close()
            del connections[SNAPSHOT]


def write_rows(path: Path, using: str) -> dict[str, int]:
    """Write every row; return how many there are by model."""
    counts = {}
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as stream:
        for model in list_models():
            name = model._meta.label_lower
            rows = model._base_manager.using(using).order_by("pk")
            counts[name] = rows.count()
            serializers.serialize(
                "jsonl",
                rows.iterator(chunk_size=PER_READ),
                stream=stream,
                use_natural_foreign_keys=name in NATURAL,
                cls=ExactEncoder,
            )
    return counts


def require_empty() -> None:
    """Refuse a database that holds anything of ours.

    Raises:
        BackupError: It does; names what.
    """
    for model in list_models():
        is_seeded = model._meta.label_lower in SEEDED
        if not is_seeded and model._base_manager.exists():
            raise BackupError(
                f"The database has rows already ({model._meta.verbose_name_plural}): "
                "restore into an empty one."
            )


@transaction.atomic
def read_rows(path: Path) -> dict[str, int]:
    """Write the rows of a backup into the empty database, whole or not at all.

    Raises:
        BackupError: A row does not fit, or refers to one that is missing.
    """
    counts = {model._meta.label_lower: 0 for model in list_models()}
    for name in SEEDED:
        apps.get_model(name)._base_manager.all().delete()
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for row in _parse(stream):
                name = row.object._meta.label_lower
                if name not in counts:
                    raise BackupError(f"It holds rows that are not kept: {name}.")
                row.save(force_insert=True)
                counts[name] += 1
        connection.check_constraints()
    except (DeserializationError, DatabaseError, OSError, EOFError) as error:
        raise BackupError(f"Its rows cannot be restored: {error}") from error
    _set_sequences()
    return counts


def _parse(stream: IO[str]) -> Iterator[Any]:
    # The serializer reads lines; one at a time, so that memory stays small.
    for line in stream:
        if line.strip():
            yield from serializers.deserialize("jsonl", _checked(line))


def _checked(line: str) -> str:
    try:
        found = json.loads(line)
        _ = apps.get_model(found["model"])
    except (ValueError, TypeError, KeyError, LookupError, RecursionError) as error:
        raise BackupError("A line of its rows cannot be read.") from error
    return line


def _set_sequences() -> None:
    """Set the next row's number, for databases that keep it in a sequence."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), list_models()):
            cursor.execute(sql)
