"""A start for the bench that has seen a few demonstrations."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.learning.cloning import (
    as_lines,
    choose_tasks,
    choose_templates,
    draw_share,
    find_unsolved,
    main,
    make_spec,
    parse_arguments,
)
from benchmarks.learning.command import Choices
from benchmarks.learning.loop import SETTINGS, list_evaluated
from training.rl.starter.episodes import RecordedEpisode
from training.rl.training_data import write_lines
from training.rl.types import Trajectory

PLAN = Choices(sites="shop", held_out=100).plan()


def episode(key: str, **changes: Any) -> RecordedEpisode:
    trajectory = Trajectory(0, 0, f"instruction of {key}", (), "<p>", 1.0)
    return RecordedEpisode(key, True, "exit", trajectory, **changes)


def test_no_evaluated_task_is_demonstrated():
    evaluated = {task["key"] for task in list_evaluated(PLAN, "validation")}
    evaluated |= {task["key"] for task in list_evaluated(PLAN, "test")}
    chosen = {task["key"] for task in choose_tasks(PLAN, 100)}
    assert chosen
    assert not chosen & evaluated


def test_each_template_is_demonstrated_so_often_at_most():
    counts = Counter(task["template_key"] for task in choose_tasks(PLAN, 3))
    assert max(counts.values()) == 3


def test_drawn_tasks_follow_where_the_catalog_has_too_few():
    more = Choices(sites="shop", held_out=100, drawn=500).plan()
    few, many = choose_tasks(PLAN, 16), choose_tasks(more, 16)
    assert many[: len(few)] == few
    drawn = Counter(task["template_key"] for task in many[len(few) :])
    assert drawn
    assert max(Counter(task["template_key"] for task in many).values()) == 16


def test_chosen_templates_alone_are_demonstrated():
    tasks = choose_tasks(PLAN, 2, ["shop.buy_to_city", "shop.find_extreme"])
    counts = Counter(task["template_key"] for task in tasks)
    assert counts == {"shop.buy_to_city": 2, "shop.find_extreme": 2}


def test_a_template_without_a_task_is_named():
    with pytest.raises(SystemExit, match=r"No task of shop\.nothing"):
        choose_tasks(PLAN, 2, ["shop.nothing"])


def write_episodes(folder: Path, **outcomes: bool) -> Path:
    """A folder of one episode of each template."""
    folder.mkdir()
    rows = [
        {"key": key, "template": key, "attempt": 0, "outcome": outcome}
        for key, outcome in outcomes.items()
    ]
    write_lines(folder / "0.episodes.jsonl", rows)
    return folder


def test_templates_that_succeed_in_one_folder_are_solved(tmp_path):
    first = write_episodes(tmp_path / "first", buy=False, find=False, sort=True)
    second = write_episodes(tmp_path / "second", buy=True, find=False)
    assert find_unsolved([first, second]) == ["find"]


def test_folders_in_which_everything_succeeds_are_refused(tmp_path):
    folder = write_episodes(tmp_path / "solved", buy=True)
    with pytest.raises(SystemExit, match="No template without a success in"):
        find_unsolved([folder])


def test_a_folder_without_episodes_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"There are no episodes in .*nowhere"):
        find_unsolved([tmp_path / "nowhere"])


def test_a_share_of_the_templates_is_the_same_in_any_order():
    keys = [f"shop.{number}" for number in range(9)]
    half = draw_share(keys, 0.5)

    assert len(half) == 4
    assert set(half) < set(keys)
    assert draw_share(keys[::-1], 0.5) == half


def test_all_templates_are_one_share_and_a_small_share_is_one_template():
    assert draw_share(["b", "a"], 1.0) == ["a", "b"]
    assert len(draw_share(["b", "a"], 0.01)) == 1
    assert draw_share([], 0.5) == []


def test_a_share_of_all_templates_is_drawn_if_no_episodes_are_named():
    plan = Choices(sites="shop").plan()
    drawn = [
        choose_templates(parse_arguments(["start", "out", "--share", share]), plan)
        for share in ("1", "0.5")
    ]
    assert drawn[0] == []  # all
    everything = {task["template_key"] for task in choose_tasks(plan, 1)}
    assert set(drawn[1]) < everything
    assert len(drawn[1]) == round(len(everything) / 2)


@pytest.mark.parametrize("share", ["0", "1.5", "half", "nan"])
def test_a_share_that_is_none_is_refused(share, capsys):
    with pytest.raises(SystemExit):
        parse_arguments(["start", "out", "--share", share])
    assert "--share" in capsys.readouterr().err


def test_a_large_start_is_cloned_with_its_own_settings():
    words = ["start", "out", "--lora-rank", "16", "--micro-batch-size", "32"]
    words += ["--max-action-tokens", "64", "--precision", "native"]
    settings = make_spec(parse_arguments(words))
    chosen = {"lora_rank": 16, "micro_batch_size": 32, "max_action_tokens": 64}
    chosen |= {"augmented_copies": 0, "precision": "native"}
    assert settings["algorithm"] == {**SETTINGS, **chosen}


@pytest.fixture
def start(tmp_path):
    """A start, and beside it an OUT for which everything has been played."""
    for name in ("start/policy", "start/critic", "out/cloning"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "start/policy/weights").write_text("as they are")
    (tmp_path / "out/cloning/demonstrations.jsonl").write_text("shown")
    return tmp_path / "start"


def test_a_start_that_is_only_shown_more_stays_as_it_is(start, tmp_path):
    main([f"{start}", f"{tmp_path}/out", "--only-show"])

    assert (tmp_path / "out/policy/weights").read_text() == "as they are"
    assert not (tmp_path / "out/cloning/spec.json").exists()


def test_demonstrations_of_the_start_do_not_take_the_place_of_new_ones(start, tmp_path):
    for name in ("cloning", "policy/cloning"):
        (start / name).mkdir()
        (start / name / "demonstrations.jsonl").write_text("earlier ones")
    (start / "cloning/spec.json").write_text("{}")

    main([f"{start}", f"{tmp_path}/out", "--only-show"])

    assert (tmp_path / "out/cloning/demonstrations.jsonl").read_text() == "shown"
    assert not (tmp_path / "out/cloning/spec.json").exists()
    assert (tmp_path / "out/policy/cloning/demonstrations.jsonl").exists()


@pytest.mark.parametrize("name", ["policy", "critic"])
@pytest.mark.parametrize("more", [[], ["--only-show"]])
def test_a_part_that_the_start_lacks_is_named_first(start, tmp_path, name, more):
    shutil.rmtree(start / name)
    with pytest.raises(SystemExit, match=f"There is no {name} in {start}"):
        main([f"{start}", f"{tmp_path}/new", *more])
    assert not (tmp_path / "new").exists()


def test_a_start_without_a_reward_model_can_be_trained_further(start, tmp_path):
    for name in ("policy", "result.json"):
        (tmp_path / "out/cloning" / name).mkdir()

    assert main([f"{start}", f"{tmp_path}/out"]) == 0

    held = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert held == ["cloning", "critic", "policy"]


def test_the_copy_of_a_phase_keeps_its_number(tmp_path):
    for name in ("policy", "critic"):
        (tmp_path / "2" / name).mkdir(parents=True)
    (tmp_path / "2/result.json").write_text("{}")
    with pytest.raises(SystemExit, match=r"name its copy by the number, .*shown/2\."):
        main([f"{tmp_path}/2", f"{tmp_path}/shown", "--only-show"])
    assert not (tmp_path / "shown").exists()


def test_the_order_of_demonstrations_is_that_of_their_names():
    lines = as_lines([episode("shop.b"), episode("shop.a")])
    said = [line["instruction"] for line in lines]
    assert said == ["instruction of shop.a", "instruction of shop.b"]
