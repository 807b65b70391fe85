from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from rollouts.interchange.dataset import DatasetEpisode, read_dataset, write_dataset
from rollouts.interchange.episodes import (
    EpisodeFileError,
    FileEpisode,
    FileStep,
    FileTask,
)


def make_episode(split: str, step_count: int = 2) -> DatasetEpisode:
    step = FileStep(observation="page", output="exit()", action={})
    task = FileTask(key="theirs.1", instruction="Find it", split=split)
    return DatasetEpisode(FileEpisode(task=task, steps=(step,) * step_count))


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    episodes = [make_episode(split) for split in ("train", "test", "train")]
    write_dataset(tmp_path, episodes, "data")
    return tmp_path


def test_a_written_dataset_is_read_whole(dataset: Path):
    found = list(read_dataset(dataset))

    assert [one.task.split for one in found] == ["train", "test", "train"]
    assert {len(one.steps) for one in found} == {2}


@pytest.mark.parametrize("name", ["steps/train.parquet", "trajectories/test.parquet"])
def test_a_dataset_that_was_copied_in_part_is_refused(dataset: Path, name: str):
    (dataset / name).unlink()

    with pytest.raises(EpisodeFileError, match=f"names {name}, which is missing"):
        list(read_dataset(dataset))


def test_episodes_without_steps_need_no_file_of_them(tmp_path: Path):
    write_dataset(tmp_path, [make_episode("train", step_count=0)], "data")

    (found,) = read_dataset(tmp_path)

    assert found.steps == ()


def test_a_dataset_needs_no_card(dataset: Path):
    (dataset / "README.md").unlink()

    assert len(list(read_dataset(dataset))) == 3


def test_an_episode_that_is_there_twice_is_refused(dataset: Path):
    path = dataset / "trajectories" / "train.parquet"
    rows = parquet.read_table(path)
    parquet.write_table(pyarrow.concat_tables([rows, rows.slice(1)]), path)

    with pytest.raises(EpisodeFileError, match=r"train\.parquet has episode 2 twice"):
        list(read_dataset(dataset))
