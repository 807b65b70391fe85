"""What is installed can be run by other accounts; what is written cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.workbench.install.readable import open_folder, open_paths, readable


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Write for the owner alone, as every verb does."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_installed_is_readable_and_what_is_written_after_is_not(tmp_path: Path):
    with readable():
        (tmp_path / "program").touch()
    (tmp_path / "data").touch()

    assert mode(tmp_path / "program") == 0o644
    assert mode(tmp_path / "data") == 0o600


def test_an_environment_of_an_earlier_version_is_opened_once(tmp_path: Path):
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch(0o700)
    (folder / "stamp.json").touch()

    open_folder(folder)

    assert mode(folder) == mode(folder / "bin") == 0o755
    assert mode(folder / "bin" / "python") == 0o755
    assert mode(folder / "stamp.json") == 0o644


def test_a_file_of_an_earlier_version_is_opened(tmp_path: Path):
    (tmp_path / "django.mo").touch()

    open_paths(tmp_path.glob("*.mo"))

    assert mode(tmp_path / "django.mo") == 0o644


def test_a_link_is_not_followed(tmp_path: Path):
    secret, folder = tmp_path / "secret", tmp_path / "venv"
    secret.touch()
    folder.mkdir()
    (folder / "link").symlink_to(secret)

    open_paths(folder.iterdir())

    assert mode(secret) == 0o600


def test_nothing_is_done_where_nothing_is_installed(tmp_path: Path):
    open_folder(tmp_path / "venv")

    assert not (tmp_path / "venv").exists()
