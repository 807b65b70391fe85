"""The file of a backup: a tar whose last member lists all others.

    rows.jsonl.gz          every row, as Django's JSON lines
    artifacts/aa/<digest>  recorded pages, pictures, traces
    checkpoints/...        weights and training directories
    manifest.json          version, migrations, size and SHA-256 of every member

A file that was cut short has no manifest. Names and kinds of members are checked
before anything is written: a backup may come from anywhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from curriculum.errors import WorkbenchError

VERSION = 1
ROWS, MANIFEST = "rows.jsonl.gz", "manifest.json"
FOLDERS = ("artifacts", "checkpoints")
CHUNK = 2**20
MAX_MANIFEST_BYTES = 512 * 2**20
# Names of files in a backup; none leads out of its folders.
NAME = re.compile(rf"(?:{'|'.join(FOLDERS)})(?:/[^/\0]+)+")


class BackupError(WorkbenchError):
    """A backup that cannot be made, or cannot be restored here."""


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """The manifest's entry of a file."""

    size: int
    sha256: str


class Digesting(io.RawIOBase):
    """Reads a file, at most `limit` bytes, and digests what it reads."""

    def __init__(self, file: IO[bytes], limit: int | None = None) -> None:
        self._file, self._left = file, limit
        self.size = 0
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes."""
        wanted = CHUNK if size < 0 else size
        if self._left is not None:
            wanted = min(wanted, self._left - self.size)
        data = self._file.read(wanted)
        self._digest.update(data)
        self.size += len(data)
        return data

    @property
    def member(self) -> Member:
        """What was read so far."""
        return Member(self.size, self._digest.hexdigest())


class Writer:
    """Adds files to a backup; `finish` completes it."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.members: dict[str, Member] = {}

    def add(self, name: str, path: Path) -> bool:
        """Add a file as it is now; False if it no longer exists.

        Raises:
            BackupError: It became shorter while it was read.
        """
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return False
        with file:
            size = os.fstat(file.fileno()).st_size
            info = _info(name, size)
            reading = Digesting(file, size)
            try:
                self._tar.addfile(info, reading)
            except OSError as error:
                if reading.size < size and error.errno is None:
                    raise BackupError(f"{path} changed while it was read.") from error
                raise
        self.members[name] = reading.member
        return True

    def finish(self, facts: dict[str, Any]) -> None:
        """Write the manifest."""
        listed = {name: [m.size, m.sha256] for name, m in self.members.items()}
        text = json.dumps({"version": VERSION, **facts, "members": listed})
        data = text.encode()
        self._tar.addfile(_info(MANIFEST, len(data)), io.BytesIO(data))


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


def unpack(file: Path, folder: Path) -> dict[str, Any]:
    """Write a backup's members below `folder`; return its manifest, checked.

    Raises:
        BackupError: It is not a backup, is incomplete, or was changed.
    """
    found: dict[str, Member] = {}
    manifest: dict[str, Any] | None = None
    try:
        with tarfile.open(file, "r|") as tar:
            for info in tar:
                if manifest is not None:
                    raise BackupError("Something stands behind its manifest.")
                if info.name == MANIFEST:
                    manifest = _read_manifest(tar, info)
                else:
                    found[info.name] = _write(tar, info, folder)
    except (tarfile.TarError, EOFError) as error:
        raise BackupError(f"It is no whole backup: {error}.") from error
    if manifest is None:
        raise BackupError("It is no whole backup: its manifest is missing.")
    _compare(found, manifest["members"])
    return manifest


def _read_manifest(tar: tarfile.TarFile, info: tarfile.TarInfo) -> dict[str, Any]:
    file = tar.extractfile(info)
    if file is None or info.size > MAX_MANIFEST_BYTES:
        raise BackupError("Its manifest cannot be read.")
    try:
        found = json.loads(file.read())
        version = found["version"]
        members = found["members"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BackupError("Its manifest cannot be read.") from error
    if version != VERSION or not isinstance(members, dict):
        raise BackupError(f"It is of another version ({version!r}), not {VERSION}.")
    return dict(found)


def _write(tar: tarfile.TarFile, info: tarfile.TarInfo, folder: Path) -> Member:
    if not info.isreg() or not is_name(info.name):
        raise BackupError(f"It holds something strange: {info.name[:80]!r}.")
    file = tar.extractfile(info)
    if file is None:
        raise BackupError(f"{info.name[:80]!r} cannot be read.")
    path = folder / info.name
    path.parent.mkdir(parents=True, exist_ok=True)
    reading = Digesting(file)
    with path.open("xb") as output:
        while data := reading.read(CHUNK):
            output.write(data)
    return reading.member


def is_name(name: str) -> bool:
    """Return whether a member of a backup may have this name."""
    steps = PurePosixPath(name).parts
    is_below = NAME.fullmatch(name) is not None and ".." not in steps
    return name == ROWS or (is_below and "." not in name.split("/"))


def _compare(found: dict[str, Member], listed: dict[str, Any]) -> None:
    for name in sorted(set(found) | set(listed)):
        member = found.get(name)
        if member is None:
            raise BackupError(f"{name[:80]} is missing in it.")
        if listed.get(name) != [member.size, member.sha256]:
            raise BackupError(f"{name[:80]} is damaged in it.")


def list_files(root: Path, folder: str, skipped: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files below a folder, without those that are only half written.

    Trainings and workers write meanwhile: a folder may be gone when it is reached.

    Raises:
        BackupError: A folder is there and cannot be read.
    """
    for place, folders, names in os.walk(root / folder, onerror=_raise_unless_gone):
        folders[:] = sorted(n for n in folders if not n.startswith(skipped))
        for name in sorted(n for n in names if not n.startswith(skipped)):
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                yield path


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise BackupError(f"{error.filename} cannot be read.") from error
