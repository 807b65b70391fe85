"""Recorded pages and screenshots: files named by the SHA-256 of their content.

`<directory>/aa/<sha256><suffix>`. A file is written under a temporary name, flushed to
the disk and renamed, so a name never belongs to an incomplete file, and storing the
same content again costs nothing.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

HTML_SUFFIX = ".html.gz"
JPEG_SUFFIX = ".jpg"
TRACE_SUFFIX = ".zip"
# Prefixes of names while a file is being written, and while one is being removed.
NEW = ".new-"
GONE = ".gone-"
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_SUFFIX = re.compile(r"(?:\.[a-z0-9]{1,8}){1,2}\Z")


class ArtifactError(Exception):
    """The artifact cannot be read: bad name, missing or damaged."""


def artifact_path(directory: Path, digest: str, suffix: str) -> Path:
    """Return the path of an artifact, whether or not it exists."""
    if not _DIGEST.match(digest) or not _SUFFIX.match(suffix):
        raise ArtifactError(f"not the name of an artifact: {digest[:80]!r} {suffix!r}")
    return directory / digest[:2] / f"{digest}{suffix}"


def store(directory: Path, data: bytes, suffix: str) -> str:
    """Write `data` and return its digest."""
    digest = hashlib.sha256(data).hexdigest()
    path = artifact_path(directory, digest, suffix)
    if not _touch(path, len(data)):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, io.BytesIO(data))
    return digest


def store_file(directory: Path, source: Path, suffix: str) -> str:
    """Copy a file, however large, and return its digest."""
    with source.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    path = artifact_path(directory, digest, suffix)
    if not _touch(path, source.stat().st_size):
        path.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as file:
            _write(path, file)
    return digest


def load(directory: Path, digest: str, suffix: str) -> bytes:
    """Return the content of an artifact, checked against its name."""
    path = artifact_path(directory, digest, suffix)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ArtifactError(f"{path.name} cannot be read: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise ArtifactError(f"{path.name} is damaged")
    return data


def remove(directory: Path, digest: str, suffix: str, *, grace_s: float) -> int | None:
    """Delete an artifact; return its bytes, 0 if it is missing.

    One that was stored recently stays; then None is returned.

    Content that is stored again while this runs is kept: storing touches the file, and
    this checks the time again after it has moved the file aside.
    """
    path = artifact_path(directory, digest, suffix)
    aside = path.with_name(f"{GONE}{path.name}")
    try:
        path.replace(aside)
        found = aside.stat()
    except FileNotFoundError:
        return 0
    if time.time() - found.st_mtime < grace_s:
        aside.replace(path)
        return None
    aside.unlink(missing_ok=True)
    return found.st_size


def drop_leftovers(directory: Path, *, age_s: float, grace_s: float) -> int:
    """Delete incomplete files of killed processes; return how many.

    Only files that got their present name at least `age_s` ago: no process works on
    them any more. `grace_s` is that of `remove`.
    """
    dropped = 0
    for pattern in (f"*/{NEW}*", f"*/{GONE}*"):
        for path in directory.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                # Renaming changes the ctime; the mtime of a file to remove is always
                # old.
                if time.time() - path.stat().st_ctime >= age_s:
                    dropped += _drop(path, grace_s)
    return dropped


def _drop(path: Path, grace_s: float) -> bool:
    """Delete it, or finish putting it back where `remove` would have done so."""
    found = path.stat()
    own = path.with_name(path.name.removeprefix(GONE))
    was_wanted = found.st_ctime - found.st_mtime < grace_s
    if path.name.startswith(GONE) and was_wanted and not own.exists():
        path.replace(own)
        return False
    path.unlink()
    return True


def _touch(path: Path, size: int) -> bool:
    """Say whether the file exists and is complete; also mark it as just stored.

    Content that is stored again replaces a damaged file.
    """
    try:
        os.utime(path)
        with path.open("rb") as file:
            is_whole = os.fstat(file.fileno()).st_size == size and (
                path.name.startswith(hashlib.file_digest(file, "sha256").hexdigest())
            )
    except FileNotFoundError:
        return False
    return is_whole


def store_html(directory: Path, html: str) -> str:
    """Store a recorded page, compressed; "" for an empty one."""
    return store(directory, pack_html(html), HTML_SUFFIX) if html else ""


def pack_html(html: str) -> bytes:
    """Return a recorded page as it is stored; equal pages are equal bytes."""
    return gzip.compress(html.encode(), compresslevel=5, mtime=0)


def unpack_html(packed: bytes) -> str:
    """Return a stored page as text."""
    return gzip.decompress(packed).decode(errors="replace")


def list_sizes(directory: Path) -> Iterator[tuple[str, int]]:
    """Yield name and bytes of every file in the directory's folders."""
    if not directory.is_dir():
        return
    for part in directory.iterdir():
        if not part.is_dir():
            continue
        with os.scandir(part) as entries:
            for entry in entries:
                try:
                    yield entry.name, entry.stat().st_size
                except FileNotFoundError:
                    continue


def _write(path: Path, data: BinaryIO) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=NEW)
    try:
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(data, file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
