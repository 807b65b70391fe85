"""A ZIP file that is written while it is read: no larger in memory than one entry."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator

# Without a clock in it, the same episode gives the same bytes.
MOMENT = (1980, 1, 1, 0, 0, 0)


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One file: its path inside the archive, and its bytes."""

    path: str
    data: bytes


class _Sink:
    """What the archive has written since the last read."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def stream(
    folder: str, entries: Iterable[Entry], about: dict[str, object]
) -> Iterator[bytes]:
    """Yield the archive; its last file is a manifest with every file's digest."""
    sink, listed = _Sink(), []
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for entry in entries:
            _add(archive, folder, entry)
            listed.append(_describe(entry))
            yield sink.take()
        manifest = json.dumps(about | {"files": listed}, indent=2, sort_keys=True)
        _add(archive, folder, Entry("manifest.json", manifest.encode()))
    yield sink.take()


def _add(archive: zipfile.ZipFile, folder: str, entry: Entry) -> None:
    info = zipfile.ZipInfo(f"{folder}/{entry.path}", MOMENT)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, entry.data)


def _describe(entry: Entry) -> dict[str, object]:
    digest = hashlib.sha256(entry.data).hexdigest()
    return {"path": entry.path, "bytes": len(entry.data), "sha256": digest}
