"""Adding django-oscar: what is installed, and what is made again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rollouts.sites.oscar import names
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import oscar
from scripts.workbench.processes import stack


@pytest.fixture
def done(monkeypatch) -> list[str]:
    """The steps that would be run, in words."""
    steps: list[str] = []

    def run(title: str, command: list[object], **options: object) -> None:
        steps.append(title)
        if "build" in str(command[2]):
            Path(str(command[3]), oscar.TEMPLATE).touch()

    monkeypatch.setattr(oscar, "run", run)
    return steps


def test_both_programs_use_the_same_names():
    assert (oscar.TEMPLATE, oscar.SOCKET) == (names.TEMPLATE, names.SOCKET)


@pytest.mark.parametrize("lock", oscar.LOCKS, ids=lambda path: path.name)
def test_every_package_is_pinned_with_its_digests(lock):
    entries = re.findall(
        r"^(\S+)==\S+ \\\n((?:    --hash=sha256:\w{64}.*\n?)+)", lock.read_text(), re.M
    )
    lines = [line for line in lock.read_text().splitlines() if re.match(r"\w", line)]
    assert len(entries) == len(lines) > 0


def test_the_version_in_the_folders_name_is_the_locked_one():
    lock = oscar.LOCKS[-1].read_text()
    assert oscar.NAME.replace("oscar-", "django-oscar==") in lock


def test_adding_installs_then_builds_and_a_second_time_does_nothing(done, tmp_path):
    folder = tmp_path / oscar.NAME
    assert oscar.ensure(folder)
    assert done[-1] == "Filling Oscar's shop"
    assert len(done) == 4
    assert not oscar.ensure(folder)
    assert len(done) == 4


def test_another_catalogue_is_built_without_installing_again(
    done, tmp_path, monkeypatch
):
    folder = tmp_path / oscar.NAME
    oscar.ensure(folder)
    done.clear()
    wanted = {**oscar.wanted_stamp(), "shop": "other"}
    monkeypatch.setattr(oscar, "wanted_stamp", lambda: wanted)
    assert oscar.ensure(folder)
    assert done == ["Filling Oscar's shop"]


def test_what_was_broken_off_is_done_again(done, tmp_path):
    folder = tmp_path / oscar.NAME
    oscar.ensure(folder)
    (folder / oscar.TEMPLATE).unlink()
    assert oscar.ensure(folder)


def test_a_folder_too_deep_for_a_socket_is_refused(done, tmp_path):
    deep = tmp_path / ("x" * 100) / oscar.NAME
    with pytest.raises(WorkbenchError, match="set WEBRL_DATA_DIR to a shorter one"):
        oscar.ensure(deep)
    assert done == []


def test_the_shop_runs_with_the_others_once_it_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(stack, "DATA_DIR", tmp_path)
    found = {one.name: one for one in stack.programs(stack.choose_addresses())}
    folder = tmp_path / "suites" / oscar.NAME
    folder.mkdir(parents=True)
    assert not found["oscar"].is_wanted()
    (folder / oscar.TEMPLATE).touch()
    assert found["oscar"].is_wanted()
    assert found["oscar"].command[0] == str(folder / "venv" / "bin" / "python")
