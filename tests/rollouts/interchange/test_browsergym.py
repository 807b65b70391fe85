from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from browsergym_episodes import FORMAT, NAME, describe_episode
from rollouts.interchange.browsergym import PLAIN, PLAIN_FORMAT, read_browsergym
from rollouts.interchange.episodes import PNG, EpisodeFileError, FileEpisode
from rollouts.interchange.formats import recognise
from scripts.workbench.paths import ROOT

FOLDER = "2026-05-01_10-00-00_GenericAgent-gpt_on_webarena.310_42"
# What pickle would run: a file named "ran" in the current folder.
HOSTILE = b"cposix\nsystem\n(S'touch ran'\ntR."
LOG = (
    "2026-05-01 10:00:01,000 - 7 - root - INFO - Running experiment x\n"
    "2026-05-01 10:00:02,000 - 7 - loop - INFO - I see a cart.\n\naction:\n"
    "click('12')\n\n"
    "2026-05-01 10:00:03,000 - 7 - loop - INFO - action:\n"
    "send_msg_to_user('$5')\n\n"
    "2026-05-01 10:00:04,000 - 7 - loop - INFO - Saving summary info.\n"
)


def write_experiment(study: Path, name: str = FOLDER, **summary: Any) -> Path:
    folder = study / name
    folder.mkdir(parents=True)
    said = {"n_steps": 2, "cum_reward": 1.0, "err_msg": None, "terminated": True}
    (folder / "summary_info.json").write_text(json.dumps(said | summary))
    (folder / "experiment.log").write_text(LOG)
    (folder / "exp_args.pkl").write_bytes(HOSTILE)
    (folder / "step_0.pkl.gz").write_bytes(gzip.compress(HOSTILE))
    (folder / "screenshot_step_0.png").write_bytes(PNG + b"pixels")
    return folder


def write_plain(folder: Path, **more: Any) -> None:
    steps = [
        {"url": "http://x/", "title": "Shop", "page": "[12] link 'Cart'"}
        | {"output": "I see a cart.\n\nclick('12')", "action": "click('12')"},
        {"page": "$5", "action": "send_msg_to_user('$5')", "error": ""},
    ]
    said = {"format": PLAIN_FORMAT, "task": "webarena.310", "seed": 42, "agent": "A"}
    goal = {"goal": "What is it?", "steps": steps, "final_page": "done"}
    (folder / PLAIN).write_text(json.dumps({**said, **goal, **more}))


def read_one(study: Path) -> FileEpisode:
    (episode,) = read_browsergym(study)
    return episode


def test_plain_files_give_actions_pictures_and_outcome(tmp_path: Path):
    write_experiment(tmp_path / "study")

    episode = read_one(tmp_path)

    assert [step.output for step in episode.steps] == [
        "click('12')",
        "send_msg_to_user('$5')",
    ]
    assert episode.steps[0].screenshot == PNG + b"pixels"
    assert (episode.outcome, episode.ended_by, episode.answer) == (True, "exit", "$5")
    assert (episode.policy, episode.seed) == ("GenericAgent-gpt", 42)
    assert "webarena.310" in episode.task.known_as
    assert recognise(tmp_path) == "browsergym"


def test_no_pickle_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    write_experiment(tmp_path / "study")

    list(read_browsergym(tmp_path))

    assert not (tmp_path / "ran").exists()


def test_the_scripts_file_adds_goal_and_pages(tmp_path: Path):
    write_plain(write_experiment(tmp_path))

    episode = read_one(tmp_path)

    assert episode.task.instruction == "What is it?"
    assert episode.steps[0].observation == "[12] link 'Cart'"
    assert episode.steps[0].output.startswith("I see a cart.")
    assert episode.steps[0].action["element"] == 12
    assert episode.final_observation == "done"


def test_elements_of_frames_keep_their_call(tmp_path: Path):
    steps = [{"action": "click('a12')", "page": "x"}]
    write_plain(write_experiment(tmp_path), steps=steps)

    assert read_one(tmp_path).steps[0].action["name"] == "click('a12')"


@pytest.mark.parametrize(
    ("summary", "outcome", "ending"),
    [
        ({"cum_reward": 0.0}, False, "exit"),
        ({"cum_reward": None}, None, "exit"),
        ({"err_msg": "TimeoutError"}, None, "exit"),
    ],
)
def test_the_summary_says_how_it_went(
    tmp_path: Path, summary: dict[str, Any], outcome: bool | None, ending: str
):
    write_experiment(tmp_path, **summary)

    episode = read_one(tmp_path)

    assert (episode.outcome, episode.ended_by) == (outcome, ending)


def test_replaced_and_unfinished_experiments_are_left_out(tmp_path: Path):
    write_experiment(tmp_path, f"_{FOLDER}")
    (write_experiment(tmp_path) / "summary_info.json").write_text("")

    assert list(read_browsergym(tmp_path)) == []


def test_another_format_is_refused(tmp_path: Path):
    write_plain(write_experiment(tmp_path), format="browsergym-episode-9")

    with pytest.raises(EpisodeFileError, match="another format"):
        list(read_browsergym(tmp_path))


def fake_result() -> Any:
    seen = {
        "goal_object": ({"type": "text", "text": "What is it?"},),
        "open_pages_urls": ("http://x/",),
        "open_pages_titles": ("Shop",),
        "active_page_index": [0],
        "axtree_object": {"nodes": []},
        "last_action_error": "",
    }
    after = seen | {"last_action_error": "Not found", "axtree_txt": "own text"}
    infos = [
        SimpleNamespace(obs=seen, action="click('9')", agent_info={"think": "Hm."}),
        SimpleNamespace(obs=after, action=None, agent_info={}),
    ]
    settings = SimpleNamespace(task_name="miniwob.click-test", task_seed=3)
    agent = SimpleNamespace(agent_name="Fake")
    args = SimpleNamespace(env_args=settings, agent_args=agent)
    return SimpleNamespace(exp_args=args, steps_info=infos)


def test_what_the_script_writes_is_read(tmp_path: Path):
    folder = write_experiment(tmp_path)
    written = describe_episode(fake_result(), lambda tree: "tree as text")
    (folder / NAME).write_text(json.dumps(written))

    episode = read_one(tmp_path)

    assert (NAME, FORMAT) == (PLAIN, PLAIN_FORMAT)
    assert episode.task.instruction == "What is it?"
    (step,) = episode.steps
    assert (step.observation, step.error) == ("tree as text", "Not found")
    assert (step.output, step.url) == ("Hm.\n\nclick('9')", "http://x/")
    assert episode.final_observation == "own text"


class WithoutArguments:
    """A result whose arguments need a class that is not there."""

    steps_info = fake_result().steps_info

    @property
    def exp_args(self) -> Any:
        raise AttributeError("Can't get attribute 'Args'")


def test_the_folders_name_stands_in_for_arguments_that_cannot_be_loaded(
    tmp_path: Path,
):
    folder = write_experiment(tmp_path)
    written = describe_episode(WithoutArguments(), str)
    (folder / NAME).write_text(json.dumps(written))

    episode = read_one(tmp_path)

    assert (episode.policy, episode.seed) == ("GenericAgent-gpt", 42)
    assert episode.task.instruction == "What is it?"


@pytest.mark.parametrize("given", [[], ["missing"]])
def test_without_a_folder_the_script_says_how_it_is_called(given: list[str]):
    command = [sys.executable, str(ROOT / "browsergym_episodes.py"), *given]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert "python browsergym_episodes.py FOLDER" in ended.stderr
    assert "Traceback" not in ended.stderr
