from __future__ import annotations

import dataclasses
import json

import pytest

from tests.training.rl.orm.helpers import judge, write, write_orm_directory
from training.rl import checkpoints, launch
from training.rl.orm.config import OrmConfig
from training.rl.orm.data import (
    JudgedEpisode,
    Score,
    read_orm_spec,
    read_rows,
    sum_up,
)
from training.rl.orm.reward_model import RewardModel
from training.rl.orm.trainer import OrmTraining
from training.rl.training_data import TrainingDataError


@pytest.fixture
def orm_directory(tmp_path, model, tokenizer):
    return write_orm_directory(tmp_path, model, tokenizer)


def run(directory, report=lambda name, step, value: None):
    return OrmTraining(
        directory,
        read_orm_spec(directory),
        report=report,
        on_progress=lambda part, done, total: None,
        callbacks=lambda part: [],
    ).run()


def test_it_learns_what_people_say(orm_directory):
    losses = []
    result = run(
        orm_directory,
        lambda name, step, value: losses.append(value) if "loss" in name else None,
    )

    assert losses[-1] < losses[0] / 2
    assert result["accuracy"][""]["n"] == 4
    assert result["accuracy"][""]["after"] == 1.0
    assert set(result["accuracy"]) == {"", "shop", "forum"}
    assert checkpoints.verify(orm_directory / "orm") == result["orm_digest"]


def test_a_finished_directory_is_not_trained_again(orm_directory):
    first = run(orm_directory)
    losses = []

    assert run(orm_directory, lambda *numbers: losses.append(numbers)) == first
    assert losses == []


def test_one_word_alone_teaches_nothing(orm_directory):
    write(orm_directory, [judge(n) for n in (0, 2, 4)])

    with pytest.raises(TrainingDataError, match="Both"):
        run(orm_directory)


def make_too_long(episode: JudgedEpisode) -> JudgedEpisode:
    return dataclasses.replace(episode, instruction="Find the Blue Oak Lamp " * 100)


def test_episodes_that_are_too_long_to_read_are_left_out(orm_directory):
    held_out = [judge(n, is_held_out=True) for n in (40, 41)]
    episodes = [judge(n) for n in range(8)] + held_out
    write(orm_directory, [*episodes, *map(make_too_long, episodes)])

    result = run(orm_directory)

    assert result["accuracy"][""]["n"] == 2
    assert run(orm_directory) == result


def test_the_words_of_episodes_that_cannot_be_read_teach_nothing(orm_directory):
    write(orm_directory, [judge(0), make_too_long(judge(1))])

    with pytest.raises(TrainingDataError, match="Both"):
        run(orm_directory)


def test_an_episode_that_is_too_long_to_read_leaves_the_others_their_scores(
    tmp_path, model, tokenizer
):
    checkpoints.save_checkpoint(tmp_path, model, tokenizer)
    reward_model = RewardModel(tmp_path, max_prompt_tokens=200, budget=8192)
    readable = [judge(n).as_trajectory() for n in range(2)]
    long = make_too_long(judge(2)).as_trajectory()

    first, none, second = reward_model.score([readable[0], long, readable[1]])

    assert none is None
    assert [first, second] == pytest.approx(reward_model.score(readable))


def test_a_broken_line_is_named(orm_directory):
    with (orm_directory / "verdicts.jsonl").open("a") as file:
        file.write('{"trajectory_id": 1}\n')

    with pytest.raises(TrainingDataError, match="line 37"):
        read_rows(orm_directory)


def test_accuracy_is_told_by_site():
    scores = [
        Score(1, "shop", True, before=0.4, after=0.9),
        Score(2, "shop", False, before=0.4, after=0.1),
        Score(3, "forum", False, before=0.9, after=0.8),
    ]

    assert sum_up(scores) == {
        "": {"n": 3, "before": 1 / 3, "after": 2 / 3},
        "forum": {"n": 1, "before": 0.0, "after": 0.0},
        "shop": {"n": 2, "before": 0.5, "after": 1.0},
    }


def test_numbers_out_of_range_are_refused():
    with pytest.raises(ValueError, match="held_out"):
        OrmConfig(held_out=1.5)


def test_the_subprocess_leaves_a_result(orm_directory):
    seen = []
    launch.train_orm(
        orm_directory, threads=1, on_progress=seen.append, should_stop=lambda: False
    )

    result = json.loads((orm_directory / "result.json").read_text())
    assert result["accuracy"][""]["n"] == 4
    assert result["provenance"]["device"]
    assert any(one["stage"] == "orm" for one in seen)
