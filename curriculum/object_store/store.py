"""Files that every machine of a lab reads by name: in a bucket (S3), or in a folder.

`OBJECT_STORE` chooses. Where it is empty there is no such store, and the data folder
of the one machine holds everything.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import importlib
import io
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.utils.translation import gettext

from curriculum.errors import CheckpointError, EndpointDown

S3 = "s3://"


class StoreDown(EndpointDown, CheckpointError):
    """The object store does not answer, or refuses: jobs that need it wait."""


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """One object: its bytes, and when it was last written."""

    size: int
    modified_at: dt.datetime


class ObjectStore:
    """Writes and reads whole objects through Django's storage API."""

    def __init__(
        self, storage: Storage, errors: tuple[type[Exception], ...] = (OSError,)
    ) -> None:
        """Take a storage, and the exceptions that it raises."""
        self._storage = storage
        self._errors = errors

    def put(self, name: str, data: bytes) -> None:
        """Write an object, replacing an earlier one.

        Raises:
            StoreDown: It is not written.
        """
        self.put_file(name, io.BytesIO(data))

    def put_file(self, name: str, file: IO[bytes]) -> None:
        """Write an object from an open file.

        Raises:
            StoreDown: It is not written.
        """
        with self._asking():
            self._storage.save(name, File(file, name=name))

    def get(self, name: str) -> bytes | None:
        """Return an object's content; None where there is none.

        Raises:
            StoreDown: The store does not answer.
        """
        with self._asking():
            try:
                with self._storage.open(name) as file:
                    data: bytes = file.read()
            except FileNotFoundError:
                return None
        return data

    def copy_to(self, name: str, path: Path) -> str:
        """Write an object's content to a new file; return its SHA-256, "" for none.

        Raises:
            StoreDown: The content could not be read.
            OSError: The file cannot be written.
        """
        digest = hashlib.sha256()
        with self._asking(), suppress(FileNotFoundError):
            with self._storage.open(name) as source, path.open("xb") as target:
                for chunk in source.chunks():
                    digest.update(chunk)
                    target.write(chunk)
            return digest.hexdigest()
        return ""

    def find(self, name: str) -> Found | None:
        """Return an object's size and time; None where there is none.

        Raises:
            StoreDown: The store does not answer.
        """
        with self._asking():
            try:
                size = self._storage.size(name)
                return Found(size, self._storage.get_modified_time(name))
            except FileNotFoundError:
                return None

    def delete(self, name: str) -> None:
        """Remove an object; a missing one is not an error.

        Raises:
            StoreDown: It may still be there.
        """
        with self._asking():
            self._storage.delete(name)

    def list(self, folder: str) -> Iterator[tuple[str, int]]:
        """Yield name and bytes of every object below a folder.

        Raises:
            StoreDown: The list is incomplete.
        """
        with self._asking():
            if hasattr(self._storage, "bucket"):
                yield from self._list_bucket(folder)
            else:
                yield from self._list_folder(folder)

    def check(self) -> None:
        """Write, read and remove a small object.

        Raises:
            StoreDown: One of these did not work; the message says why.
        """
        name, text = f"checks/{uuid.uuid4().hex}", b"webrl"
        self.put(name, text)
        if self.get(name) != text:
            raise StoreDown(
                gettext("The object store does not keep what is written to it.")
            )
        self.delete(name)

    def _list_bucket(self, folder: str) -> Iterator[tuple[str, int]]:
        """Up to a thousand objects per request, instead of one request per object."""
        storage: Any = self._storage
        root = f"{storage.location.strip('/')}/".lstrip("/")
        for one in storage.bucket.objects.filter(Prefix=f"{root}{folder}/"):
            yield one.key.removeprefix(root), one.size

    def _list_folder(self, folder: str) -> Iterator[tuple[str, int]]:
        try:
            folders, files = self._storage.listdir(folder)
        except FileNotFoundError:
            return
        for name in files:
            with suppress(FileNotFoundError):
                yield f"{folder}/{name}", self._storage.size(f"{folder}/{name}")
        for name in folders:
            yield from self._list_folder(f"{folder}/{name}")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            text = gettext("The object store does not answer: %(error)s")
            raise StoreDown(text % {"error": str(error)[:300]}) from error


def open_store() -> ObjectStore | None:
    """Return the store that OBJECT_STORE names; None where it names none."""
    if not settings.OBJECT_STORE:
        return None
    storage = storages["objects"]
    if not is_bucket():
        return ObjectStore(storage)
    # Installed only where a bucket is used.
    client = importlib.import_module("botocore.exceptions")
    transfer = importlib.import_module("boto3.exceptions")
    return ObjectStore(
        storage, (client.BotoCoreError, client.ClientError, transfer.Boto3Error)
    )


def is_bucket() -> bool:
    """Say whether OBJECT_STORE names a bucket."""
    return bool(settings.OBJECT_STORE.startswith(S3))
