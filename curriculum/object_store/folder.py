"""A folder as Django's storage whose files are whole or absent."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

NEW = ".new-"


class DurableFolder(FileSystemStorage):
    """Writes beside the name, flushes to the disk, and renames.

    Django's own writes in place: who reads meanwhile, or after a power cut, may find
    half a file.
    """

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Return the name itself: a later content replaces an earlier one."""
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
        """List folders and whole files."""
        folders, files = super().listdir(path)
        return folders, [name for name in files if not name.startswith(NEW)]
