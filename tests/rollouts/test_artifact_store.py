"""Artifacts in a bucket: what holds of them in a folder holds there, too."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from curriculum.object_store.store import ObjectStore, StoreDown
from rollouts.artifact_store import (
    BucketArtifacts,
    FolderArtifacts,
    load_page,
    open_artifacts,
    store_page,
)
from rollouts.artifacts import HTML_SUFFIX, JPEG_SUFFIX, TRACE_SUFFIX, ArtifactError
from rollouts.models import EvidenceUse
from rollouts.services import measure_evidence
from rollouts.services.collection import collect_episodes
from tests.factories import QueuedTrajectoryFactory
from tests.object_stores import bucket, s3_url, use_store
from tests.s3_server import variables

__all__ = ["bucket", "s3_url"]
PICTURE = b"\xff\xd8 a picture"
DIGEST = hashlib.sha256(PICTURE).hexdigest()


def test_a_bucket_keeps_pages_by_their_digest(bucket: ObjectStore) -> None:
    digest = store_page("<p>é</p>" * 100)

    assert store_page("<p>é</p>" * 100) == digest
    assert load_page(digest) == "<p>é</p>" * 100
    assert [name for name, _ in open_artifacts().list_sizes()] == [
        f"{digest}{HTML_SUFFIX}"
    ]


def test_an_empty_page_is_not_stored(bucket: ObjectStore) -> None:
    assert store_page("") == ""
    assert list(open_artifacts().list_sizes()) == []


def test_a_file_is_stored_from_the_disk(bucket: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "trace.zip").write_bytes(b"t" * 99999)

    digest = open_artifacts().store_file(tmp_path / "trace.zip", TRACE_SUFFIX)

    assert open_artifacts().load(digest, TRACE_SUFFIX) == b"t" * 99999


def test_a_damaged_or_missing_object_is_told(bucket: ObjectStore) -> None:
    with pytest.raises(ArtifactError, match="is missing"):
        open_artifacts().load(DIGEST, JPEG_SUFFIX)
    bucket.put(f"artifacts/{DIGEST[:2]}/{DIGEST}.jpg", b"damaged")

    with pytest.raises(ArtifactError, match="is damaged"):
        open_artifacts().load(DIGEST, JPEG_SUFFIX)


def test_storing_again_mends_a_damaged_object(bucket: ObjectStore) -> None:
    damaged = PICTURE.replace(b"a", b"b")
    bucket.put(f"artifacts/{DIGEST[:2]}/{DIGEST}.jpg", damaged)

    open_artifacts().store(PICTURE, JPEG_SUFFIX)

    assert open_artifacts().load(DIGEST, JPEG_SUFFIX) == PICTURE


def test_only_what_was_not_stored_lately_is_removed(bucket: ObjectStore) -> None:
    artifacts = open_artifacts()
    artifacts.store(PICTURE, JPEG_SUFFIX)

    assert artifacts.remove(DIGEST, JPEG_SUFFIX, grace_s=3600) is None
    assert artifacts.load(DIGEST, JPEG_SUFFIX) == PICTURE
    # The server's clock may be a second behind ours.
    assert artifacts.remove(DIGEST, JPEG_SUFFIX, grace_s=-10) == len(PICTURE)
    assert artifacts.remove(DIGEST, JPEG_SUFFIX, grace_s=-10) == 0


@pytest.mark.parametrize("digest", ["../secret", "a" * 63, "A" * 64])
def test_no_other_name_reaches_the_bucket(bucket: ObjectStore, digest: str) -> None:
    with pytest.raises(ArtifactError, match="not the name"):
        open_artifacts().load(digest, JPEG_SUFFIX)


@pytest.mark.django_db
def test_the_evidence_in_a_bucket_is_counted(bucket: ObjectStore) -> None:
    open_artifacts().store(PICTURE, JPEG_SUFFIX)

    measure_evidence()

    row = EvidenceUse.objects.get(kind="screenshot")
    assert (row.files, row.bytes) == (1, len(PICTURE))


@pytest.mark.django_db
def test_no_episode_begins_while_the_bucket_does_not_answer(settings: Any) -> None:
    use_store(settings, variables("http://127.0.0.1:9", "x"))
    row = QueuedTrajectoryFactory(phase__status="collecting")
    opened: list[object] = []

    with pytest.raises(StoreDown):
        collect_episodes(
            phase_id=row.phase_id,
            owner="me",
            lease_s=10,
            open_policy=lambda phase, stage: opened.append(phase),
            open_collector=lambda policy, config: opened.append(config),  # type: ignore[arg-type, return-value]
        )

    row.refresh_from_db()
    assert (row.status, row.attempt, opened) == ("queued", 0, [])


def test_a_shared_folder_keeps_them_as_the_data_folder_does(
    settings: Any, tmp_path: Path
) -> None:
    use_store(settings, {"OBJECT_STORE": str(tmp_path)})

    assert isinstance(open_artifacts(), FolderArtifacts)
    use_store(settings, variables("http://127.0.0.1:9", "x"))
    assert isinstance(open_artifacts(), BucketArtifacts)
