"""A folder as a Django storage whose files are complete or absent."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

NEW = ".new-"


class DurableFolder(FileSystemStorage):
    """Writes to a temporary name, flushes to the disk, and renames.

    Django's own storage writes in place: a reader, or a power cut, may find half a
    file.
    """

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Return the name itself: new content replaces old content."""
        return name

    def _save(self, name: str, content: File[bytes]) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=NEW)
        try:
            with os.fdopen(handle, "wb") as file:
                content.seek(0)
                shutil.copyfileobj(content, file)
                file.flush()
                os.fsync(file.fileno())
            Path(fresh).replace(path)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise
        return name

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """List folders and complete files."""
        folders, files = super().listdir(path)
        return folders, [name for name in files if not name.startswith(NEW)]
