"""What exports leave where the disk is full before they are complete."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rollouts.interchange.dataset import GROUPS, DatasetEpisode, write_dataset
from rollouts.interchange.episodes import FileEpisode, FileStep, FileTask
from tests.factories import TaskFactory, TrajectoryFactory

EPISODE = FileEpisode(
    task=FileTask(key="theirs.1", instruction="Find it", split="train"),
    steps=(FileStep(observation="page", output="exit()", action={}),),
)


@contextmanager
def full_disk() -> Iterator[None]:
    """Refuse to write files of more than a few bytes.

    Python would keep the first bytes of a module that it compiles here, and
    every later import of that module would fail.
    """
    kind = resource.RLIMIT_FSIZE
    soft, hard = resource.getrlimit(kind)
    compiled = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(kind, (40, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))
        sys.dont_write_bytecode = compiled


@pytest.mark.django_db
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_list_that_cannot_be_written_leaves_the_earlier_file(
    ending: str, tmp_path: Path
):
    TaskFactory()
    file = tmp_path / f"tasks.{ending}"
    file.write_text("before")

    with full_disk(), pytest.raises(CommandError, match="cannot be written"):
        call_command("export_list", "tasks", str(file))

    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["/", ".", ".."])
def test_a_list_is_not_written_in_place_of_a_folder(name: str):
    with pytest.raises(CommandError, match="is a folder: name a file"):
        call_command("export_list", "tasks", name)


@pytest.mark.django_db
@pytest.mark.parametrize("is_there", [True, False])
def test_a_dataset_that_cannot_be_written_leaves_the_folder_as_it_was(
    is_there: bool, tmp_path: Path
):
    TrajectoryFactory(status="finished", ended_by="exit")
    folder = tmp_path / "data"
    if is_there:
        folder.mkdir()

    with full_disk(), pytest.raises(CommandError):
        call_command("export_dataset", str(folder))

    assert folder.exists() == is_there
    assert list(folder.glob("*")) == []


def test_a_dataset_that_breaks_off_is_none(tmp_path: Path):
    def break_off() -> Iterator[DatasetEpisode]:
        yield from [DatasetEpisode(EPISODE)] * GROUPS["steps"]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(tmp_path, break_off(), "data")

    assert list(tmp_path.iterdir()) == []


def test_a_dataset_that_another_export_writes_is_not_touched(tmp_path: Path):
    (tmp_path / ".part").mkdir()

    with pytest.raises(ValueError, match="no empty folder"):
        write_dataset(tmp_path, [DatasetEpisode(EPISODE)], "data")

    assert list(tmp_path.iterdir()) == [tmp_path / ".part"]
