"""The files of a backup: of the data folder, and of the object store if there is one.

Their names in a backup are the same for both, so a lab can move from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from curriculum.errors import CheckpointError
from curriculum.object_store.fetching import (
    LISTINGS,
    Listing,
    fetch_file,
    list_published,
)
from curriculum.object_store.publishing import publish_checkpoint
from curriculum.object_store.store import ObjectStore, open_store
from curriculum.rules.checkpoints import digest_folder, is_served, name_adapter
from rollouts import artifacts
from training.models import Checkpoint
from webrl_site.backup.archive import FOLDERS, BackupError, list_files

ARTIFACTS, CHECKPOINTS = FOLDERS
# Checkpoints that a training is writing, and artifacts half written or half removed.
HALF_DONE = (artifacts.NEW, artifacts.GONE, ".saving")


def list_members(scratch: Path) -> Iterator[tuple[str, Path]]:
    """Yield each member's name and a file with its content, to be read at once.

    Raises:
        StoreDown: The object store does not answer.
    """
    root, store = Path(settings.DATA_DIR), open_store()
    if store is None:
        yield from _list_here(root, ARTIFACTS)
        yield from _list_here(root, CHECKPOINTS)
        return
    yield from _copy_artifacts(store, scratch / "artifact")
    published = [one for one in list_published() if not _is_here(root, one)]
    theirs = tuple(f"{CHECKPOINTS}/{one.uri}/" for one in published)
    for name, path in _list_here(root, CHECKPOINTS):
        if not name.startswith(theirs):
            yield name, path
    for listing in published:
        yield from _copy_checkpoint(listing, scratch / "weights")


def _list_here(root: Path, folder: str) -> Iterator[tuple[str, Path]]:
    for path in list_files(root, folder, HALF_DONE):
        yield path.relative_to(root).as_posix(), path


def _copy_artifacts(store: ObjectStore, copy: Path) -> Iterator[tuple[str, Path]]:
    for name, _ in store.list(ARTIFACTS):
        # Skip one that the retention has just removed.
        if store.copy_to(name, copy):
            yield name, copy
            copy.unlink()


def _copy_checkpoint(listing: Listing, copy: Path) -> Iterator[tuple[str, Path]]:
    for name in listing.files:
        fetch_file(listing, name, copy)
        yield f"{CHECKPOINTS}/{listing.uri}/{name}", copy
        copy.unlink()


def _is_here(root: Path, listing: Listing) -> bool:
    """Say whether the data folder holds the same checkpoint."""
    folder = root / CHECKPOINTS / listing.uri
    try:
        return folder.is_dir() and (
            digest_folder(listing.uri, folder) == listing.digest
        )
    except (CheckpointError, OSError):
        return False


def require_no_files() -> None:
    """Refuse a deployment that holds files already.

    Raises:
        BackupError: The message has their place.
        StoreDown: The object store does not answer.
    """
    for folder in FOLDERS:
        place = Path(settings.DATA_DIR) / folder
        if place.exists() and any(place.iterdir()):
            raise BackupError(f"{place} holds files already: restore elsewhere.")
    store = open_store()
    for folder in (ARTIFACTS, LISTINGS):
        if store is not None and next(store.list(folder), None) is not None:
            raise BackupError(
                f"{settings.OBJECT_STORE} holds files already: restore elsewhere."
            )


def move_in(staged: Path) -> None:
    """Put unpacked files where this deployment keeps them; nothing is overwritten.

    Raises:
        StoreDown: The object store does not answer; files stored so far stay there.
    """
    root, store = Path(settings.DATA_DIR), open_store()
    if store is not None:
        upload_artifacts(staged / ARTIFACTS, store)
    for folder in FOLDERS if store is None else (CHECKPOINTS,):
        source, target = staged / folder, root / folder
        if source.exists():
            # Empty, or it would have been refused.
            if target.exists():
                target.rmdir()
            source.rename(target)


def upload_artifacts(folder: Path, store: ObjectStore) -> int:
    """Store every whole artifact of a folder under its name; returns how many."""
    count = 0
    for path in list_files(folder.parent, folder.name, HALF_DONE):
        with path.open("rb") as file:
            store.put_file(f"{ARTIFACTS}/{path.parent.name}/{path.name}", file)
        count += 1
    return count


def publish_all(*, anew: bool = False) -> int:
    """Publish local registered checkpoints and adapters; returns how many."""
    uris = list(Checkpoint.objects.order_by("pk").values_list("uri", flat=True))
    adapters = {name_adapter(uri) for uri in uris if not is_served(uri)}
    return sum(publish_checkpoint(one, anew=anew) for one in [*sorted(adapters), *uris])
