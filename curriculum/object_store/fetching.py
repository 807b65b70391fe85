"""Checkpoints that another machine has published, copied here when they are needed.

    checkpoints/<address>/listing.json   the checkpoint's digest, and its files
    weights/aa/<sha256>                  their contents; equal ones are stored once

The folder of a copy is named by the checkpoint's digest, so an address whose weights
have changed never gives the old ones.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from curriculum.errors import CheckpointError
from curriculum.object_store.store import ObjectStore, StoreDown, open_store

LISTINGS, WEIGHTS, LISTING = "checkpoints", "weights", "listing.json"
WEIGHT_SUFFIX = ".safetensors"
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
# An incomplete copy; one that a killed process left is removed by the next process.
FETCHING = ".fetching-"
LEFT_BEHIND_S = 86_400.0


@dataclasses.dataclass(frozen=True, slots=True)
class Listing:
    """The content of a published checkpoint.

    Attributes:
        uri: Its address.
        digest: Digest of the whole checkpoint.
        files: SHA-256 and bytes by name.
    """

    uri: str
    digest: str
    files: Mapping[str, tuple[str, int]]

    @property
    def weight_bytes(self) -> int:
        """Bytes of the files with tensors."""
        found = self.files.items()
        return sum(size for name, (_, size) in found if name.endswith(WEIGHT_SUFFIX))

    def dump(self) -> bytes:
        """Return the listing as it is stored."""
        return json.dumps({"digest": self.digest, "files": dict(self.files)}).encode()


def name_listing(uri: str) -> str:
    """Return the object that lists a checkpoint's files."""
    return f"{LISTINGS}/{uri}/{LISTING}"


def name_weights(digest: str) -> str:
    """Return the object that holds a file of this SHA-256."""
    return f"{WEIGHTS}/{digest[:2]}/{digest}"


def read_listing(uri: str) -> Listing | None:
    """Return the listing of an address; None where there is none, or no store.

    Raises:
        CheckpointError: The listing is damaged.
        StoreDown: The store does not answer.
    """
    store = open_store()
    data = store.get(name_listing(uri)) if store else None
    return None if data is None else _parse(uri, data)


def list_published() -> Iterator[Listing]:
    """Yield the listings of all published checkpoints.

    Raises:
        CheckpointError: A listing is damaged.
        StoreDown: The list is incomplete.
    """
    store = open_store()
    for name, _ in store.list(LISTINGS) if store else ():
        uri = name.removeprefix(f"{LISTINGS}/").removesuffix(f"/{LISTING}")
        if (listing := read_listing(uri)) is not None:
            yield listing


def fetch(listing: Listing) -> Path:
    """Return a folder with the checkpoint's files; copied once, checked, then renamed.

    Raises:
        CheckpointError: A file is missing or damaged in the store.
        StoreDown: The files could not be read.
    """
    root = Path(settings.FETCHED_DIR)
    folder = root / listing.digest
    if folder.is_dir():
        return folder
    root.mkdir(parents=True, exist_ok=True)
    _drop_leftovers(root)
    with tempfile.TemporaryDirectory(dir=root, prefix=FETCHING) as name:
        staged = Path(name) / "whole"
        staged.mkdir()
        for file in listing.files:
            fetch_file(listing, file, staged / file)
        try:
            staged.rename(folder)
        except OSError:
            # Another process was faster; its copy is equal.
            if not folder.is_dir():
                raise
    return folder


def _drop_leftovers(root: Path) -> None:
    for path in root.glob(f"{FETCHING}*"):
        if time.time() - path.stat().st_mtime > LEFT_BEHIND_S:
            shutil.rmtree(path, ignore_errors=True)


def fetch_file(listing: Listing, name: str, path: Path) -> None:
    """Copy one file of a checkpoint to a new path, and check it.

    Raises:
        CheckpointError: It is missing or damaged in the store.
        StoreDown: It could not be read.
    """
    digest, _ = listing.files[name]
    if _require_store().copy_to(name_weights(digest), path) != digest:
        raise CheckpointError(
            gettext("%(name)s of checkpoint %(uri)r is damaged in the object store.")
            % {"name": name, "uri": listing.uri}
        )
    with path.open("rb") as file:
        os.fsync(file.fileno())


def forget(listing: Listing) -> None:
    """Remove the copy on this machine, if there is one."""
    shutil.rmtree(Path(settings.FETCHED_DIR) / listing.digest, ignore_errors=True)


def _require_store() -> ObjectStore:
    store = open_store()
    if store is None:
        raise StoreDown(gettext("No object store is set."))
    return store


def _parse(uri: str, data: bytes) -> Listing:
    """Read a listing; refuse invalid names and digests."""
    try:
        found = json.loads(data)
        files = {name: _read_file(name, *fact) for name, fact in found["files"].items()}
        return Listing(uri, _check_digest(found["digest"]), files)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise CheckpointError(
            gettext("The listing of checkpoint %(uri)r is not readable.") % {"uri": uri}
        ) from None


def _read_file(name: str, digest: Any, size: Any) -> tuple[str, int]:
    if Path(name).name != name or name == "..":
        raise ValueError(name)
    return _check_digest(digest), int(size)


def _check_digest(text: Any) -> str:
    if not isinstance(text, str) or not _DIGEST.match(text):
        raise ValueError("not a digest")
    return text
