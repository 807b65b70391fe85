"""Where this deployment keeps recorded pages, pictures and traces.

In a folder (`rollouts/artifacts.py`), or in the bucket that `OBJECT_STORE` names, under
the same names.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol

from django.conf import settings

from curriculum.object_store.store import ObjectStore, StoreDown, is_bucket, open_store
from rollouts import artifacts
from rollouts.artifacts import HTML_SUFFIX, ArtifactError, artifact_path

FOLDER = "artifacts"


class ArtifactStore(Protocol):
    """Files named by the SHA-256 of their content."""

    def check(self) -> None:
        """Do nothing; raise StoreDown where nothing can be stored at present."""
        ...

    def store(self, data: bytes, suffix: str) -> str:
        """Write `data` and return its digest; a second call changes nothing."""
        ...

    def store_file(self, source: Path, suffix: str) -> str:
        """Copy a file, however large, and return its digest."""
        ...

    def load(self, digest: str, suffix: str) -> bytes:
        """Return a content that matches its name; else raise ArtifactError."""
        ...

    def remove(self, digest: str, suffix: str, *, grace_s: float) -> int | None:
        """Delete an artifact; return its bytes, 0 if missing, None if too new."""
        ...

    def drop_leftovers(self, *, age_s: float, grace_s: float) -> int:
        """Delete incomplete files of killed processes; return how many."""
        ...

    def list_sizes(self) -> Iterator[tuple[str, int]]:
        """Yield name and bytes of every artifact."""
        ...

    def measure(self, digests: Collection[str], suffix: str) -> int:
        """Return the bytes that these take on this machine's disk."""
        ...


class FolderArtifacts:
    """Artifacts in a folder of this machine, or of a shared file system."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self) -> None:
        """Do nothing: a full disk is detected elsewhere."""

    def store(self, data: bytes, suffix: str) -> str:
        return artifacts.store(self._folder, data, suffix)

    def store_file(self, source: Path, suffix: str) -> str:
        return artifacts.store_file(self._folder, source, suffix)

    def load(self, digest: str, suffix: str) -> bytes:
        return artifacts.load(self._folder, digest, suffix)

    def remove(self, digest: str, suffix: str, *, grace_s: float) -> int | None:
        return artifacts.remove(self._folder, digest, suffix, grace_s=grace_s)

    def drop_leftovers(self, *, age_s: float, grace_s: float) -> int:
        return artifacts.drop_leftovers(self._folder, age_s=age_s, grace_s=grace_s)

    def list_sizes(self) -> Iterator[tuple[str, int]]:
        return artifacts.list_sizes(self._folder)

    def measure(self, digests: Collection[str], suffix: str) -> int:
        paths = (artifact_path(self._folder, digest, suffix) for digest in digests)
        return sum(path.stat().st_size for path in paths if path.is_file())


class BucketArtifacts:
    """Artifacts in an object store.

    An object is complete or absent. Storing it again replaces it, which repairs a
    damaged one and resets its age. Removing reads the age first: content that is stored
    again between that and the removal is lost.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def check(self) -> None:
        """Raise StoreDown where nothing can be stored at present."""
        self._store.check()

    def store(self, data: bytes, suffix: str) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self._store.put(_name(digest, suffix), data)
        return digest

    def store_file(self, source: Path, suffix: str) -> str:
        with source.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            self._store.put_file(_name(digest, suffix), file)
        return digest

    def load(self, digest: str, suffix: str) -> bytes:
        name = _name(digest, suffix)
        try:
            data = self._store.get(name)
        except StoreDown as error:
            raise ArtifactError(error.message) from error
        if data is None:
            raise ArtifactError(f"{PurePosixPath(name).name} is missing")
        if hashlib.sha256(data).hexdigest() != digest:
            raise ArtifactError(f"{PurePosixPath(name).name} is damaged")
        return data

    def remove(self, digest: str, suffix: str, *, grace_s: float) -> int | None:
        name = _name(digest, suffix)
        found = self._store.find(name)
        if found is None:
            return 0
        if time.time() - found.modified_at.timestamp() < grace_s:
            return None
        self._store.delete(name)
        return found.size

    def drop_leftovers(self, *, age_s: float, grace_s: float) -> int:
        """Return 0: objects are never incomplete."""
        return 0

    def list_sizes(self) -> Iterator[tuple[str, int]]:
        for name, size in self._store.list(FOLDER):
            yield PurePosixPath(name).name, size

    def measure(self, digests: Collection[str], suffix: str) -> int:
        """Return 0: they are not on this machine's disk."""
        return 0


def open_artifacts() -> ArtifactStore:
    """Return where this deployment keeps its artifacts."""
    store = open_store() if is_bucket() else None
    if store is None:
        return FolderArtifacts(Path(settings.ARTIFACTS_DIR))
    return BucketArtifacts(store)


def store_page(html: str) -> str:
    """Store a recorded page, compressed; "" for an empty one."""
    return (
        open_artifacts().store(artifacts.pack_html(html), HTML_SUFFIX) if html else ""
    )


def load_page(digest: str) -> str:
    """Return a recorded page.

    Raises:
        ArtifactError: It is missing or damaged.
    """
    return artifacts.unpack_html(open_artifacts().load(digest, HTML_SUFFIX))


def _name(digest: str, suffix: str) -> str:
    return artifact_path(Path(FOLDER), digest, suffix).as_posix()
