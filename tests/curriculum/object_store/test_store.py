from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from curriculum.object_store.store import ObjectStore, StoreDown
from tests.object_stores import bucket, s3_url, store, use_store
from tests.s3_server import variables

__all__ = ["bucket", "s3_url", "store"]


def test_an_object_is_read_as_it_was_written(store: ObjectStore) -> None:
    store.put("artifacts/aa/x.html.gz", b"\x1f\x8bpage")

    assert store.get("artifacts/aa/x.html.gz") == b"\x1f\x8bpage"


def test_a_later_content_replaces_an_earlier_one(store: ObjectStore) -> None:
    store.put("a/b", b"first")
    store.put("a/b", b"second")

    assert store.get("a/b") == b"second"


def test_what_is_not_there_is_none(store: ObjectStore) -> None:
    assert store.get("a/b") is None
    assert store.find("a/b") is None
    store.delete("a/b")


def test_a_copy_comes_with_its_digest(store: ObjectStore, tmp_path: Path) -> None:
    store.put("a/b", b"weights" * 9999)

    digest = store.copy_to("a/b", tmp_path / "copy")

    assert digest == hashlib.sha256(b"weights" * 9999).hexdigest()
    assert (tmp_path / "copy").read_bytes() == b"weights" * 9999
    assert store.copy_to("a/c", tmp_path / "other") == ""


def test_all_objects_below_a_folder_are_listed(store: ObjectStore) -> None:
    for name in ("a/b/1", "a/b/2", "a/c/3", "ab/4"):
        store.put(name, name.encode() * 2)

    assert sorted(store.list("a")) == [("a/b/1", 10), ("a/b/2", 10), ("a/c/3", 10)]
    assert list(store.list("nothing")) == []


def test_a_store_that_works_passes_its_check_and_stays_empty(
    store: ObjectStore,
) -> None:
    store.check()

    assert list(store.list("checks")) == []


def test_a_bucket_that_is_not_there_is_down(s3_url: str, settings: Any) -> None:
    found = variables(s3_url, "x") | {"OBJECT_STORE": "s3://another/x"}
    lost = use_store(settings, found)

    with pytest.raises(StoreDown, match=r"does not answer: .*NoSuchBucket"):
        lost.check()


def test_a_server_that_is_not_there_is_down(settings: Any) -> None:
    lost = use_store(settings, variables("http://127.0.0.1:9", "x"))

    with pytest.raises(StoreDown, match="does not answer"):
        lost.get("a/b")


def test_a_folder_never_shows_half_a_file(settings: Any, tmp_path: Path) -> None:
    store = use_store(settings, {"OBJECT_STORE": str(tmp_path)})
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".new-half").write_bytes(b"half")

    assert list(store.list("a")) == []
