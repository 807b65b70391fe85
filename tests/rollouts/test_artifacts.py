from __future__ import annotations

import hashlib

import pytest

from rollouts.artifacts import (
    HTML_SUFFIX,
    ArtifactError,
    artifact_path,
    load,
    load_html,
    store,
    store_html,
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
    assert load_html(tmp_path, digest) == "<p>é</p>" * 100
    assert artifact_path(tmp_path, digest, HTML_SUFFIX).stat().st_size < 200


def test_an_empty_page_is_no_artifact(tmp_path):
    assert store_html(tmp_path, "") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_artifact_is_refused(tmp_path):
    digest = store(tmp_path, b"picture", ".jpg")
    artifact_path(tmp_path, digest, ".jpg").write_bytes(b"pictore")
    with pytest.raises(ArtifactError, match="damaged"):
        load(tmp_path, digest, ".jpg")


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
