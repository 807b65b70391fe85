"""Methods that train the same critic share it."""

from __future__ import annotations

import json

import pytest

from benchmarks.learning.critics import copy_same_critic


@pytest.fixture
def runs(tmp_path):
    """One method has trained its critic, another has not begun."""
    make_training(tmp_path / "awr/0/1", {"objective": "awr"})
    make_critic(tmp_path / "awr/0/1")
    make_training(tmp_path / "digirl/0/1", {"objective": "digirl"})
    return tmp_path


def make_training(folder, config, critic="start", episodes="a"):
    folder.mkdir(parents=True, exist_ok=True)
    spec = {"config": {"batch_size": 16, **config}, "seed": 0, "critic": critic}
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / "fresh.jsonl").write_text(episodes)


def make_critic(folder):
    (folder / "critic").mkdir()
    (folder / "critic/weights").write_text("trained")


def has_critic(folder):
    return (folder / "critic/weights").exists()


def test_a_method_takes_the_critic_of_another(runs):
    copy_same_critic(runs, runs / "digirl/0/1")
    assert has_critic(runs / "digirl/0/1")


def test_a_critic_does_not_depend_on_what_the_policy_alone_learns(runs):
    copies = {"augmented_copies": 5, "skip_familiar_copies": True}
    only_policy = {**copies, "use_demonstrations": True}
    make_training(runs / "digirl/0/1", only_policy)
    copy_same_critic(runs, runs / "digirl/0/1")
    assert has_critic(runs / "digirl/0/1")


@pytest.mark.parametrize(
    "changed",
    [
        {"config": {"batch_size": 32}},
        {"config": {}, "critic": "another"},
        {"config": {}, "episodes": "b"},
    ],
)
def test_another_training_of_it_is_not_taken(runs, changed):
    make_training(runs / "digirl/0/1", **changed)
    copy_same_critic(runs, runs / "digirl/0/1")
    assert not has_critic(runs / "digirl/0/1")


def test_another_seed_s_is_not_taken(runs):
    make_training(runs / "digirl/1/1", {"objective": "digirl"})
    copy_same_critic(runs, runs / "digirl/1/1")
    assert not has_critic(runs / "digirl/1/1")


def test_a_critic_of_which_nothing_is_known_is_not_taken(runs):
    (runs / "awr/0/1/spec.json").unlink()
    copy_same_critic(runs, runs / "digirl/0/1")
    assert not has_critic(runs / "digirl/0/1")


def test_its_own_stays(runs):
    own = runs / "digirl/0/1"
    make_critic(own)
    (own / "critic/weights").write_text("own")
    copy_same_critic(runs, own)
    assert (own / "critic/weights").read_text() == "own"
