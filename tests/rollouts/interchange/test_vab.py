from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollouts.interchange.episodes import PNG, EpisodeFileError, FileEpisode
from rollouts.interchange.formats import recognise
from rollouts.interchange.vab import read_vab

CLICK = '# Element: Cart\ndo(action="Click", element="3")'
EXIT = 'exit(message="$5")'


def write_trace(folder: Path, outputs: list[str], name: str = "7", **more: Any) -> None:
    lines = [
        {
            "trace_id": int(name),
            "index": index,
            "prompt": "What is it?" if index == 0 else "** Simplified html **",
            "html": f"<html> page {index} </html>",
            "response": output,
            "target": "What is it?",
            **more,
        }
        for index, output in enumerate(outputs)
    ]
    path = folder / "traces" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_actions(
    folder: Path, score: float, actions: list[str], name: str = "7"
) -> None:
    path = folder / "actions" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {"task_id": int(name), "score": score, "actions": actions}
    path.write_text(json.dumps(said))


def read_one(folder: Path) -> FileEpisode:
    (episode,) = read_vab(folder, "llama")
    return episode


def test_a_trace_becomes_an_episode(tmp_path: Path):
    write_trace(tmp_path, [CLICK, EXIT])
    write_actions(tmp_path, 1.0, ["click [3]", "exit"])

    episode = read_one(tmp_path)

    assert episode.task.instruction == "What is it?"
    assert episode.task.known_as == ("webarena-lite.7",)
    assert [step.output for step in episode.steps] == [CLICK, EXIT]
    assert episode.steps[0].action == {"name": "Click", "element": 3, "argument": ""}
    assert episode.steps[1].observation == "<html> page 1 </html>"
    assert (episode.ended_by, episode.answer) == ("exit", "$5")
    assert (episode.outcome, episode.policy) == (True, "llama")


@pytest.mark.parametrize(
    ("score", "outcome"), [(0.0, False), (0.5, False), (1.0, True), (-0.1, None)]
)
def test_the_score_is_the_outcome(tmp_path: Path, score: float, outcome: bool | None):
    write_trace(tmp_path, [EXIT])
    write_actions(tmp_path, score, ["exit"])

    assert read_one(tmp_path).outcome is outcome


def test_the_runners_own_stop_is_no_step(tmp_path: Path):
    write_trace(tmp_path, [CLICK, CLICK, ""])
    write_actions(tmp_path, 0.0, ["", "", "stop [Early stop: Reach max steps 2]"])

    episode = read_one(tmp_path)

    assert len(episode.steps) == 2
    assert episode.final_observation == "<html> page 2 </html>"
    assert episode.ended_by == "step_limit"


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        ("Same action for 5 times", "repeated"),
        ("Same typing action for 5 times", "repeated"),
        ("Failed to parse actions for 5 times", "invalid"),
        ("Reach max steps 30", "step_limit"),
    ],
)
def test_the_runner_says_why_it_stopped(tmp_path: Path, reason: str, ending: str):
    write_trace(tmp_path, [CLICK, ""])
    write_actions(tmp_path, 0.0, [f"stop [Early stop: {reason}]"])

    assert read_one(tmp_path).ended_by == ending


def test_a_processed_trace_has_its_score_in_its_lines(tmp_path: Path):
    write_trace(tmp_path, [EXIT], score=1)

    assert read_one(tmp_path).outcome is True


def test_without_traces_there_are_actions_and_pictures(tmp_path: Path):
    write_actions(tmp_path, 0.0, ["click [3]", "stop [x]"])
    shots = tmp_path / "screehshots" / "7"
    shots.mkdir(parents=True)
    (shots / "0.png").write_bytes(PNG + b"pixels")
    (shots / "1.png").write_bytes(b"<html>no picture</html>")

    episode = read_one(tmp_path)

    assert [step.output for step in episode.steps] == ["click [3]", "stop [x]"]
    assert [step.screenshot for step in episode.steps] == [PNG + b"pixels", b""]
    assert episode.task.instruction == ""


def test_tasks_come_by_number(tmp_path: Path):
    for name in ("10", "9", "100"):
        write_actions(tmp_path, 0.0, ["x"], name)

    keys = [episode.task.key for episode in read_vab(tmp_path)]

    assert keys == ["vab.9", "vab.10", "vab.100"]
    assert recognise(tmp_path) == "vab"


@pytest.mark.parametrize("text", ["[", "[1]", '"x"', "[" * 100_000])
def test_a_broken_file_is_named(tmp_path: Path, text: str):
    write_actions(tmp_path, 0.0, ["x"])
    (tmp_path / "actions" / "7.json").write_text(text)

    with pytest.raises(EpisodeFileError, match=r"7\.json"):
        list(read_vab(tmp_path))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_bytes(PNG + b"private")
    folder = tmp_path / "results"
    write_actions(folder, 0.0, ["x"])
    shots = folder / "screehshots" / "7"
    shots.mkdir(parents=True)
    (shots / "0.png").symlink_to(secret)

    assert read_one(folder).steps[0].screenshot == b""


def test_a_score_that_no_float_holds_is_unknown(tmp_path: Path):
    write_actions(tmp_path, 0.0, ["x"])
    text = f'{{"task_id": 7, "score": 1{"0" * 400}, "actions": ["x"]}}'
    (tmp_path / "actions" / "7.json").write_text(text)

    assert read_one(tmp_path).outcome is None
