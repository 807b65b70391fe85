"""Makes a backup while everything runs."""

from __future__ import annotations

import dataclasses
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

from webrl_site.backup.archive import ROWS, BackupError, Writer
from webrl_site.backup.files import list_members
from webrl_site.backup.rows import list_migrations, one_moment, write_rows
from webrl_site.loop.reproducibility import describe_code

PARTIAL = ".partial"


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """What a backup holds."""

    rows: int
    files: int
    bytes: int


def back_up(file: Path) -> Made:
    """Write a backup to a new file that only its owner can read.

    Rows are read first, as of one moment; the files that they name exist by then.

    Raises:
        BackupError: The file exists or cannot be written.
    """
    try:
        with (
            _new_file(file) as output,
            tempfile.TemporaryDirectory(
                dir=choose_scratch(file), prefix=".backup-"
            ) as name,
        ):
            with tarfile.open(fileobj=output, mode="w|") as tar:
                writer = Writer(tar)
                rows = Path(name) / ROWS
                with one_moment(Path(name)) as using:
                    counts = write_rows(rows, using)
                    migrations = list_migrations(using)
                writer.add(ROWS, rows)
                for member, path in list_members(Path(name)):
                    writer.add(member, path)
                facts = {
                    "created_at": timezone.now().isoformat(),
                    "commit": describe_code(settings.BASE_DIR)["commit"],
                    "database": connection.vendor,
                    "migrations": migrations,
                    "rows": counts,
                }
                writer.finish(facts)
            output.flush()
            os.fsync(output.fileno())
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {error.strerror}.") from error
    sizes = [member.size for member in writer.members.values()]
    return Made(sum(counts.values()), len(sizes) - 1, sum(sizes))


def choose_scratch(file: Path) -> Path:
    """Return the folder in which rows are copied: the data folder, if it has room.

    A full one would otherwise prevent a backup to another disk.
    """
    root, needed = Path(settings.DATA_DIR), settings.MIN_FREE_MIB * 2**20
    if connection.vendor == "sqlite":
        with suppress(OSError):
            needed += 2 * Path(connection.settings_dict["NAME"]).stat().st_size
    return root if shutil.disk_usage(root).free >= needed else file.parent


@contextmanager
def _new_file(file: Path) -> Iterator[tempfile._TemporaryFileWrapper[bytes]]:
    """Yield a file in the same folder, which gets the final name at the end."""
    if file.exists():
        raise BackupError(f"{file} exists already.")
    # Made with mode 0600, regardless of the umask.
    with tempfile.NamedTemporaryFile(
        dir=file.parent, prefix=f".{file.name}", suffix=PARTIAL, delete=False
    ) as output:
        partial = Path(output.name)
        try:
            yield output
            try:
                # Unlike a rename, a link never overwrites.
                os.link(partial, file)
            except FileExistsError as error:
                raise BackupError(f"{file} exists already.") from error
        finally:
            partial.unlink(missing_ok=True)
