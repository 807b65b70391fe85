"""A copy of the deployment's database that trials begin from: SQLite or PostgreSQL."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection, connections
from psycopg import sql

COPY = "as-at-first.sqlite3"
SUFFIX = "_first"
# Exists on every server; a database cannot be copied over a connection to itself.
MAINTENANCE = "postgres"


def keep_copy() -> None:
    """Copy the database's present content."""
    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connections.close_all()
        shutil.copy2(_file(), _file().with_name(COPY))
        return
    connections.close_all()
    _replace(_name() + SUFFIX, _name())


def put_back() -> None:
    """Restore the database from the copy; no other process may be using it."""
    connections.close_all()
    if connection.vendor != "sqlite":
        _replace(_name(), _name() + SUFFIX)
        return
    for path in _file().parent.glob(f"{_file().name}*"):
        path.unlink()
    shutil.copy2(_file().with_name(COPY), _file())


def _replace(name: str, source: str) -> None:
    """Replace a PostgreSQL database with a copy of another one."""
    given = settings.DATABASES["default"]
    with psycopg.connect(
        host=given["HOST"] or None,
        port=given["PORT"] or None,
        user=given["USER"] or None,
        password=given["PASSWORD"] or None,
        dbname=MAINTENANCE,
        autocommit=True,
    ) as server:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        server.execute(drop.format(sql.Identifier(name)))
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        server.execute(create.format(sql.Identifier(name), sql.Identifier(source)))


def _name() -> str:
    return str(settings.DATABASES["default"]["NAME"])


def _file() -> Path:
    return Path(_name())
