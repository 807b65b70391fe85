"""When a connection holds the turn to write, and when not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.db import IntegrityError
from django.db.utils import ConnectionHandler

from webrl_site.sqlite.base import DatabaseWrapper
from webrl_site.sqlite.turn import WriteTurn, turn_at

pytestmark = pytest.mark.django_db
INSERT = "INSERT INTO words VALUES ('one')"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[DatabaseWrapper]:
    """A database of its own with one table, in which a word may stand once."""
    yield from open_database(str(tmp_path / "words.sqlite3"))


@pytest.fixture
def in_memory() -> Iterator[DatabaseWrapper]:
    yield from open_database(":memory:")


def open_database(name: str) -> Iterator[DatabaseWrapper]:
    options = {"transaction_mode": "IMMEDIATE"}
    settings = {"ENGINE": "webrl_site.sqlite", "NAME": name, "OPTIONS": options}
    found: Any = ConnectionHandler({"default": settings})["default"]
    found.inc_thread_sharing()
    run(found, "CREATE TABLE words (word TEXT UNIQUE)")
    yield found
    found.close()


def run(connection: DatabaseWrapper, sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def find_turn(connection: DatabaseWrapper) -> WriteTurn:
    turn = turn_at(f"{connection.settings_dict['NAME']}-turn")
    turn.wait_s = 0
    return turn


def is_free(connection: DatabaseWrapper) -> bool:
    """Say whether a thread could write now."""
    turn, found = find_turn(connection), []
    thread = Thread(target=lambda: found.append(turn.take()))
    thread.start()
    thread.join()
    if found[0]:
        turn.give()
    return found[0]


class Watch:
    """Notes before each statement whether the turn was free."""

    def __init__(self, connection: DatabaseWrapper) -> None:
        self.connection = connection
        self.seen: list[bool] = []

    def __call__(self, execute, sql, params, many, context):
        self.seen.append(is_free(self.connection))
        return execute(sql, params, many, context)


def watch(connection: DatabaseWrapper, sql: str) -> bool:
    found = Watch(connection)
    with connection.execute_wrapper(found):
        run(connection, sql)
    return found.seen[0]


@contextmanager
def transaction(connection: DatabaseWrapper) -> Iterator[None]:
    """As `atomic` does, for a connection that has no alias in the settings."""
    begin = {"force_begin_transaction_with_broken_autocommit": True}
    connection.set_autocommit(False, **begin)
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    else:
        connection.commit()
    finally:
        connection.set_autocommit(True)


def test_a_transaction_holds_the_turn(connection):
    with transaction(connection):
        assert not is_free(connection)
    assert is_free(connection)


def test_a_transaction_that_fails_gives_the_turn_back(connection):
    with pytest.raises(ValueError, match="taken back"), transaction(connection):
        raise ValueError("taken back")
    assert is_free(connection)


def test_a_closed_connection_gives_the_turn_back(connection):
    connection.set_autocommit(
        False, force_begin_transaction_with_broken_autocommit=True
    )
    connection.close()
    assert is_free(connection)


def test_a_single_write_holds_the_turn(connection):
    assert not watch(connection, INSERT)
    assert is_free(connection)


def test_a_single_write_that_fails_gives_the_turn_back(connection):
    run(connection, INSERT)
    with pytest.raises(IntegrityError):
        run(connection, INSERT)
    assert is_free(connection)


def test_a_question_holds_no_turn(connection):
    assert watch(connection, "SELECT * FROM words")


def test_a_database_in_memory_has_no_turn(in_memory):
    with transaction(in_memory):
        run(in_memory, INSERT)
    assert in_memory._find_turn() is None


def test_without_a_turn_sqlite_decides(connection):
    turn = find_turn(connection)
    turn.take()
    run(connection, INSERT)
    turn.give()
    assert is_free(connection)
