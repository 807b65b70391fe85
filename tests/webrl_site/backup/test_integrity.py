"""A damaged database is noticed before anything works on it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from webrl_site.backup.integrity import find_damage


@pytest.fixture
def file(tmp_path: Path, settings: Any) -> Path:
    path = tmp_path / "lab.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE steps (text TEXT)")
        rows = [(f"{number} " * 200,) for number in range(500)]
        database.executemany("INSERT INTO steps VALUES (?)", rows)
        database.commit()
    database_settings = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}
    settings.DATABASES = {"default": database_settings}
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


def test_a_server_looks_after_its_own_files(
    settings: Any, capsys: pytest.CaptureFixture[str]
):
    engine = {"ENGINE": "django.db.backends.postgresql", "NAME": "webrl"}
    settings.DATABASES = {"default": engine}

    call_command("check_database")

    assert capsys.readouterr().out == "There is no file to look at.\n"
