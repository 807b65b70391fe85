"""A folder of the bench holds one training: settings, weights, episodes."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

from benchmarks.learning.loop import SETTINGS, Plan, train
from benchmarks.learning.methods import BY_NAME
from benchmarks.learning.refusing import BEGUN_WITH, keep_or_refuse
from training.rl.training_data import RESULT, SPEC, read_spec

FILES = {"fresh.jsonl": [{"key": "a"}], "replay.jsonl": []}


@pytest.fixture
def spec(tmp_path):
    for name in ("policy", "critic"):
        make_weights(tmp_path / name, name)
    paths = {name: str(tmp_path / name) for name in ("policy", "critic")}
    return {"config": {"beta": 0.2}, "seed": 0, **paths, "first": paths["policy"]}


@pytest.fixture
def trained(tmp_path, spec):
    """A folder whose training has ended."""
    folder = tmp_path / "runs/m/0/1"
    keep_or_refuse(folder, spec, FILES)
    (folder / RESULT).write_text("{}")
    return folder


def make_weights(folder, text):
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_text(text)


def test_the_trainer_reads_what_is_kept(trained, spec):
    assert read_spec(trained).config.beta == 0.2
    assert (trained / "fresh.jsonl").read_text() == '{"key": "a"}\n'


def test_the_same_training_stays_as_it_is(trained, spec):
    kept = (trained / SPEC).read_text()
    keep_or_refuse(trained, spec, FILES)
    assert (trained / SPEC).read_text() == kept


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"config": {"beta": 0.5}}, r"other beta \(0\.2\);"),
        ({"config": {"beta": 0.2, "use_replay": False}}, r"other use_replay \(True\)"),
        ({"seed": 1}, r"other seed \(0\)"),
    ],
)
def test_another_setting_is_refused_and_named(trained, spec, changes, told):
    with pytest.raises(ValueError, match=told):
        keep_or_refuse(trained, spec | changes, FILES)


def test_a_setting_that_was_left_out_is_its_default(trained, spec):
    keep_or_refuse(trained, spec | {"config": {"beta": 0.2, "use_replay": True}}, FILES)


def test_a_training_that_was_stopped_is_not_ended_under_other_settings(trained, spec):
    (trained / RESULT).unlink()
    with pytest.raises(ValueError, match=r"other beta .* remove it, or take another"):
        keep_or_refuse(trained, spec | {"config": {"beta": 0.5}}, FILES)


@pytest.mark.parametrize("name", ["policy", "critic"])
def test_weights_that_were_trained_anew_are_refused(trained, spec, tmp_path, name):
    make_weights(tmp_path / name, "anew")
    with pytest.raises(ValueError, match=rf"other weights \({name}"):
        keep_or_refuse(trained, spec, FILES)


def test_other_episodes_are_refused(trained, spec):
    with pytest.raises(ValueError, match=r"other episodes \(fresh\.jsonl\)"):
        keep_or_refuse(trained, spec, FILES | {"fresh.jsonl": [{"key": "b"}]})


def test_a_folder_may_be_moved(trained, spec, tmp_path):
    moved = tmp_path / "moved"
    for name in ("policy", "critic", "runs"):
        shutil.move(tmp_path / name, moved / name)
    paths = {name: str(moved / name) for name in ("policy", "critic")}
    elsewhere = spec | paths | {"first": paths["policy"]}
    keep_or_refuse(moved / "runs/m/0/1", elsewhere, FILES)


def test_what_an_earlier_version_has_trained_is_taken(trained, spec, tmp_path):
    (trained / BEGUN_WITH).unlink()
    (trained / SPEC).write_text(json.dumps(spec | {"policy": "/gone/policy"}))
    keep_or_refuse(trained, spec, FILES)
    with pytest.raises(ValueError, match="other beta"):
        keep_or_refuse(trained, spec | {"config": {"beta": 0.5}}, FILES)


def test_a_phase_under_other_settings_does_not_take_a_trained_folder(tmp_path, spec):
    method, folder = BY_NAME["filtered_bc"], tmp_path / "runs/filtered_bc/0/1"
    weights = tmp_path / "policy", tmp_path / "critic"
    plan = Plan(tmp_path, *weights, 1, 1, 1, "validation", {"beta": 0.2})
    config = {**SETTINGS, **plan.settings, **method.settings}
    keep_or_refuse(folder, spec | {"config": config}, {})
    (folder / RESULT).write_text("{}")

    train(plan, method, folder, [], [], *weights, 0)

    changed = dataclasses.replace(plan, settings={"beta": 0.5})
    with pytest.raises(ValueError, match=r"other beta \(0\.2\)"):
        train(changed, method, folder, [], [], *weights, 0)
