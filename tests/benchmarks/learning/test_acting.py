"""Episodes of the bench in files: played once, and of one job and one policy."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

from benchmarks.learning.acting import Job, play, read_rows


@pytest.fixture
def policy(tmp_path):
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy/model.safetensors").write_bytes(b"first weights")
    return tmp_path / "policy"


@pytest.fixture
def played(tmp_path, policy):
    """A folder in which the job's only episode has been played."""
    folder = tmp_path / "episodes"
    folder.mkdir()
    (folder / "0.episodes.jsonl").write_text(json.dumps({"key": "a", "attempt": 0}))
    play(folder, make_job(policy), processes=2)
    return folder


def make_job(policy, **changes):
    usual = Job(str(policy), [{"key": "a"}], attempts=1, temperature=0.0)
    return dataclasses.replace(usual, **changes)


def test_what_was_played_is_not_played_again(played, policy):
    play(played, make_job(policy), processes=2)
    assert len(read_rows(played)) == 1


def test_what_broke_is_not_played_again_once_the_job_has_ended(tmp_path, policy):
    folder = tmp_path / "episodes"
    folder.mkdir()
    (folder / "ended").touch()
    play(folder, make_job(policy), processes=2)
    assert read_rows(folder) == []


def test_another_job_does_not_take_its_episodes(played, policy):
    with pytest.raises(ValueError, match="other tasks or settings"):
        play(played, make_job(policy, temperature=1.0), processes=2)


def test_weights_that_were_trained_anew_do_not_take_its_episodes(played, policy):
    (policy / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(ValueError, match="other weights"):
        play(played, make_job(policy), processes=2)


def test_the_same_weights_elsewhere_take_its_episodes(played, policy, tmp_path):
    elsewhere = shutil.copytree(policy, tmp_path / "elsewhere")
    play(played, make_job(elsewhere), processes=2)
    assert len(read_rows(played)) == 1
