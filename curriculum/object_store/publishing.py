"""Publishes this machine's weights to the others, through the object store."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.utils.translation import gettext

from curriculum.errors import CheckpointError
from curriculum.object_store.fetching import (
    Listing,
    name_listing,
    name_weights,
    read_listing,
)
from curriculum.object_store.store import ObjectStore, open_store
from curriculum.rules.checkpoints import (
    digest_folder,
    find_here,
    is_served,
    is_shipped,
    list_digests,
)

MANIFEST = "manifest.json"


def publish_checkpoint(uri: str, *, anew: bool = False) -> bool:
    """Publish an address's files; True if other machines now find them.

    A second call changes nothing, unless `anew` asks to overwrite files that may be
    damaged. The listing is written last, so the files that it names exist. Nothing
    happens without a store, for served models, and for weights that every checkout has.

    Raises:
        CheckpointError: A file here is not what the manifest says.
        StoreDown: It is not stored; call again.
    """
    store = open_store()
    here = None if store is None or is_served(uri) else find_here(uri)
    if store is None or here is None or is_shipped(here):
        return False
    listing = _list_folder(uri, here)
    if anew or read_listing(uri) != listing:
        for name, (digest, size) in listing.files.items():
            if anew or not _is_stored(store, digest, size):
                _store(store, here / name, digest)
        store.put(name_listing(uri), listing.dump())
    return True


def _list_folder(uri: str, here: Path) -> Listing:
    digests = dict(list_digests(uri, here))
    manifest = here / MANIFEST
    if manifest.is_file():
        # The manifest cannot contain its own digest, and the code that loads a copy
        # needs it.
        digests[MANIFEST] = hashlib.sha256(manifest.read_bytes()).hexdigest()
    try:
        files = {
            name: (digest, (here / Path(name).name).stat().st_size)
            for name, digest in digests.items()
        }
    except OSError:
        text = gettext("Checkpoint %(uri)r lacks one of its files.")
        raise CheckpointError(text % {"uri": uri}) from None
    return Listing(uri, digest_folder(uri, here), files)


def _is_stored(store: ObjectStore, digest: str, size: int) -> bool:
    found = store.find(name_weights(digest))
    return found is not None and found.size == size


def _store(store: ObjectStore, path: Path, digest: str) -> None:
    """Store one file under its digest.

    Raises:
        CheckpointError: The file has another digest.
    """
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise CheckpointError(
                gettext("%(name)s has changed since it was saved.")
                % {"name": path.name}
            )
        file.seek(0)
        store.put_file(name_weights(digest), file)
