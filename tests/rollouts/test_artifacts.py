from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from rollouts.artifacts import (
    HTML_SUFFIX,
    ArtifactError,
    artifact_path,
    drop_leftovers,
    load,
    store,
    store_html,
    unpack_html,
)


def test_an_artifact_is_named_by_its_content(tmp_path):
    digest = store(tmp_path, b"picture", ".jpg")
    assert digest == hashlib.sha256(b"picture").hexdigest()
    assert load(tmp_path, digest, ".jpg") == b"picture"


def test_the_same_content_is_stored_once(tmp_path):
    first = store(tmp_path, b"same", ".jpg")
    assert store(tmp_path, b"same", ".jpg") == first
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_pages_are_compressed_and_equal_pages_share_a_file(tmp_path):
    digest = store_html(tmp_path, "<p>é</p>" * 100)
    assert store_html(tmp_path, "<p>é</p>" * 100) == digest
    packed = load(tmp_path, digest, HTML_SUFFIX)
    assert unpack_html(packed) == "<p>é</p>" * 100
    assert artifact_path(tmp_path, digest, HTML_SUFFIX).stat().st_size < 200


def test_an_empty_page_is_no_artifact(tmp_path):
    assert store_html(tmp_path, "") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_artifact_is_refused(tmp_path):
    digest = store(tmp_path, b"picture", ".jpg")
    artifact_path(tmp_path, digest, ".jpg").write_bytes(b"pictore")
    with pytest.raises(ArtifactError, match="damaged"):
        load(tmp_path, digest, ".jpg")


@pytest.mark.parametrize("damage", [b"", b"half", b"other"])
def test_a_damaged_artifact_is_healed_when_it_is_stored_again(tmp_path, damage):
    digest = store(tmp_path, b"right", ".jpg")
    artifact_path(tmp_path, digest, ".jpg").write_bytes(damage)

    assert store(tmp_path, b"right", ".jpg") == digest
    assert load(tmp_path, digest, ".jpg") == b"right"


def test_a_missing_artifact_is_named(tmp_path):
    with pytest.raises(ArtifactError, match="cannot be read"):
        load(tmp_path, "0" * 64, ".jpg")


@pytest.mark.parametrize(
    ("digest", "suffix"),
    [("../../etc/passwd", ".jpg"), ("0" * 63, ".jpg"), ("0" * 64, "/../x"), ("", "")],
)
def test_names_cannot_leave_the_directory(tmp_path, digest, suffix):
    with pytest.raises(ArtifactError, match="not the name"):
        load(tmp_path, digest, suffix)


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rollouts.artifacts.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        store(tmp_path, b"picture", ".jpg")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def leave(tmp_path: Path, digest: str, *, wanted_s_ago: float) -> Path:
    """Put an artifact aside, as `remove` does before it is killed."""
    path = artifact_path(tmp_path, digest, ".jpg")
    aside = path.with_name(f".gone-{path.name}")
    path.replace(aside)
    wanted = time.time() - wanted_s_ago
    os.utime(aside, (wanted, wanted))
    return aside


def test_what_killed_processes_left_is_deleted(tmp_path: Path):
    aside = leave(tmp_path, store(tmp_path, b"picture", ".jpg"), wanted_s_ago=9000)
    half = aside.with_name(".new-abc")
    half.write_bytes(b"pic")
    kept = store(tmp_path, b"other", ".jpg")

    assert drop_leftovers(tmp_path, age_s=0, grace_s=3600) == 2

    assert not aside.exists() and not half.exists()
    assert load(tmp_path, kept, ".jpg") == b"other"


def test_what_somebody_may_be_at_work_on_stays(tmp_path: Path):
    # What goes is old by its mtime, however lately it was put aside.
    aside = leave(tmp_path, store(tmp_path, b"picture", ".jpg"), wanted_s_ago=9e6)
    half = aside.with_name(".new-abc")
    half.write_bytes(b"pic")

    assert drop_leftovers(tmp_path, age_s=86_400, grace_s=3600) == 0

    assert aside.exists() and half.exists()


def test_what_was_put_aside_though_wanted_comes_back(tmp_path: Path):
    digest = store(tmp_path, b"picture", ".jpg")
    leave(tmp_path, digest, wanted_s_ago=10)

    assert drop_leftovers(tmp_path, age_s=0, grace_s=3600) == 0

    assert load(tmp_path, digest, ".jpg") == b"picture"


def test_what_was_stored_again_meanwhile_stays_once(tmp_path: Path):
    digest = store(tmp_path, b"picture", ".jpg")
    aside = leave(tmp_path, digest, wanted_s_ago=10)
    store(tmp_path, b"picture", ".jpg")

    assert drop_leftovers(tmp_path, age_s=0, grace_s=3600) == 1

    assert not aside.exists()
    assert load(tmp_path, digest, ".jpg") == b"picture"


def test_no_artifacts_yet_is_nothing_to_drop(tmp_path: Path):
    assert drop_leftovers(tmp_path / "none", age_s=0, grace_s=0) == 0
