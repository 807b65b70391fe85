"""Copies of the template database, one for each episode.

A copy is a file; its name, `<folder>/<file>`, tells the shop's process which one
answers a request. Every sandbox has its own folder, locked while it runs; the next
sandbox removes what a killed one has left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from rollouts.sites.kit.episodes import (
    Changes,
    StateUnreadable,
    StoredState,
    UnknownSite,
)
from rollouts.sites.oscar.changes import compare, read_shop
from rollouts.sites.oscar.names import EPISODES, TEMPLATE

LOCK = "lock"
# Longest time for which a page that is being answered locks the file.
BUSY_S = 2.0


class Copies:
    """Makes copies of one template, which need not exist yet."""

    def __init__(self, folder: Path) -> None:
        """Bind the shop's folder; nothing is made before the first copy."""
        self._template = folder / TEMPLATE
        self._episodes = folder / EPISODES
        self._own: Path | None = None
        self._start: tuple[int, Changes] | None = None

    def open(self) -> DatabaseCopy:
        """A fresh copy.

        Raises:
            UnknownSite: The shop has not been added.
        """
        if not self._template.is_file():
            raise UnknownSite("'oscar' is not here yet: run ./webrl site add oscar")
        path = self.new_path()
        shutil.copyfile(self._template, path)
        return DatabaseCopy(path, self)

    def new_path(self) -> Path:
        """The path of the next copy."""
        if self._own is None:
            self._own = _own_folder(self._episodes)
        return self._own / f"{secrets.token_hex(8)}.sqlite3"

    def read_start(self) -> Changes:
        """The template's content; read again when it was rebuilt."""
        built = self._template.stat().st_mtime_ns
        if self._start is None or self._start[0] != built:
            self._start = built, _read(self._template)
        return self._start[1]


class DatabaseCopy(StoredState):
    """The shop's database of one episode."""

    def __init__(self, path: Path, copies: Copies) -> None:
        """Bind a file that exists."""
        self._path = path
        self._copies = copies

    @property
    def name(self) -> str:
        """Its name for the shop's process."""
        return f"{self._path.parent.name}/{self._path.stem}"

    def read(self) -> Changes:
        """The differences from the template, in the form of `changes`."""
        return compare(self._copies.read_start(), _read(self._path))

    def fork(self) -> DatabaseCopy:
        """Copy the file while no process writes to it."""
        path = self._copies.new_path()
        with _connect(self._path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            shutil.copyfile(self._path, path)
        return DatabaseCopy(path, self._copies)

    def close(self) -> None:
        """Remove the file and SQLite's files next to it."""
        self._path.unlink(missing_ok=True)
        self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)


def _read(path: Path) -> Changes:
    with _connect(path) as connection:
        return read_shop(connection)


@contextlib.contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection whose transaction is rolled back at the end; it changes nothing."""
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            uri, uri=True, timeout=BUSY_S, isolation_level=None
        )
        with contextlib.closing(connection):
            yield connection
    except sqlite3.Error as error:
        raise StateUnreadable(f"the shop's database: {error}") from error


def _own_folder(episodes: Path) -> Path:
    """A new locked folder; folders that no process locks are removed."""
    episodes.mkdir(mode=0o700, exist_ok=True)
    for folder in episodes.iterdir():
        if _is_free(folder):
            shutil.rmtree(folder, ignore_errors=True)
    own = episodes / secrets.token_hex(8)
    own.mkdir(mode=0o700)
    # Locked until the process ends; never closed on purpose.
    _lock(own)
    return own


def _is_free(folder: Path) -> bool:
    try:
        os.close(_lock(folder))
    except OSError:
        return False
    return True


def _lock(folder: Path) -> int:
    """Lock the folder; raises BlockingIOError where another process has."""
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
