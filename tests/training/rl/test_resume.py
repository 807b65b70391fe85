from __future__ import annotations

import random

import pytest

from training.rl.resume import drop_checkpoints, find_damage, find_newest, publish


def save(work, step: int) -> None:
    staged = work / ".saving" / f"checkpoint-{step}"
    (staged / "deep").mkdir(parents=True)
    (staged / "model.safetensors").write_bytes(random.Random(step).randbytes(500))
    (staged / "deep" / "optimizer.pt").write_bytes(random.Random(step).randbytes(500))
    publish(staged, work)


def test_the_newest_checkpoint_is_resumed_from(tmp_path):
    save(tmp_path, 9)
    save(tmp_path, 10)
    assert find_newest(tmp_path) == str(tmp_path / "checkpoint-10")


def test_two_checkpoints_are_kept_and_nothing_half_written(tmp_path):
    for step in (1, 2, 3):
        save(tmp_path, step)
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint-2",
        "checkpoint-3",
    }


def test_without_a_checkpoint_a_part_begins_anew(tmp_path):
    assert find_newest(tmp_path / "none") is None


@pytest.mark.parametrize("name", ["model.safetensors", "deep/optimizer.pt"])
def test_a_file_cut_at_any_place_is_refused(tmp_path, name):
    save(tmp_path, 1)
    path = tmp_path / "checkpoint-1" / name
    whole = path.read_bytes()
    for length in range(0, len(whole), 5):
        path.write_bytes(whole[:length])
        assert "has changed" in find_damage(tmp_path / "checkpoint-1")


def test_a_flipped_bit_is_refused_wherever_it_is(tmp_path):
    save(tmp_path, 1)
    path = tmp_path / "checkpoint-1" / "model.safetensors"
    whole = path.read_bytes()
    for place in range(0, len(whole), 5):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        assert "has changed" in find_damage(tmp_path / "checkpoint-1")


def test_the_one_before_a_damaged_checkpoint_is_taken_and_the_reason_logged(
    tmp_path, caplog
):
    save(tmp_path, 1)
    save(tmp_path, 2)
    (tmp_path / "checkpoint-2" / "model.safetensors").unlink()
    assert find_newest(tmp_path) == str(tmp_path / "checkpoint-1")
    assert "checkpoint-2 is not resumed from: model.safetensors" in caplog.text


def test_a_checkpoint_without_digests_is_refused(tmp_path):
    (tmp_path / "checkpoint-1").mkdir()
    assert find_newest(tmp_path) is None


def test_a_training_that_is_done_keeps_no_checkpoints(tmp_path):
    for part in ("critic-steps", "policy-steps"):
        save(tmp_path / part, 1)
    # A kill left it half written.
    (tmp_path / "policy-steps/.saving/checkpoint-2").mkdir(parents=True)
    (tmp_path / "policy").mkdir()
    (tmp_path / "result.json").write_text("{}")
    drop_checkpoints(tmp_path)
    kept = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert kept == {"critic-steps", "policy-steps", "policy", "result.json"}
