"""A damaged database is noticed before anything works on it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from webrl_site.backup.integrity import database_file, find_damage
from webrl_site.backup.management.commands import check_database


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "lab.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE steps (text TEXT)")
        rows = [(f"{number} " * 200,) for number in range(500)]
        database.executemany("INSERT INTO steps VALUES (?)", rows)
        database.commit()
    monkeypatch.setattr(check_database, "database_file", lambda database: path)
    return path


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8192:8292] = b"\xff" * 100
    path.write_bytes(data)


def test_a_whole_file_is_called_so(file: Path, capsys: pytest.CaptureFixture[str]):
    before = file.read_bytes()

    call_command("check_database")

    assert capsys.readouterr().out == f"{file} is whole.\n"
    assert file.read_bytes() == before


def test_a_damaged_file_ends_the_start_and_says_what_to_do(file: Path):
    damage(file)

    with pytest.raises(CommandError, match=r"is damaged: .*\./webrl restore"):
        call_command("check_database")


def test_a_file_that_is_no_database_is_damaged(file: Path):
    file.write_bytes(b"not a database" * 1000)

    assert find_damage(file, 5)


def test_looking_ends_after_its_time(file: Path, capsys: pytest.CaptureFixture[str]):
    call_command("check_database", limit=0)

    assert "no damage found in 0 s" in capsys.readouterr().out


def test_a_server_looks_after_its_own_files(file: Path):
    sqlite = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    server = {"ENGINE": "django.db.backends.postgresql", "NAME": str(file)}

    assert database_file(sqlite) == file
    assert database_file(server) is None
    assert database_file({**sqlite, "NAME": f"{file}.not"}) is None
