"""Restores a backup into a deployment that holds nothing yet."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from webrl_site.backup.archive import ROWS, BackupError, unpack
from webrl_site.backup.files import move_in, publish_all, require_no_files
from webrl_site.backup.making import Made
from webrl_site.backup.rows import read_rows, require_empty


def restore(file: Path) -> Made:
    """Write everything in a backup; existing data are never overwritten.

    Files are first unpacked and checked in a folder next to their place.

    Raises:
        BackupError: The backup is damaged or of another version, or the deployment
            holds something already.
    """
    root = Path(settings.DATA_DIR)
    require_no_files()
    with tempfile.TemporaryDirectory(dir=root, prefix=".restoring-") as name:
        staged = Path(name)
        try:
            manifest = unpack(file, staged)
        except OSError as error:
            raise BackupError(f"{file} cannot be unpacked: {error}.") from error
        _require_version(manifest)
        call_command("migrate", interactive=False, verbosity=0)
        require_empty()
        with transaction.atomic():
            counts = read_rows(staged / ROWS)
            if counts != manifest.get("rows"):
                raise BackupError("Its rows are not as many as its manifest says.")
            # Before the commit: rows without files are worse than files without rows.
            move_in(staged)
            publish_all()
    sizes = [size for size, _ in manifest["members"].values()]
    return Made(sum(counts.values()), len(sizes) - 1, sum(sizes))


def _require_version(manifest: dict[str, Any]) -> None:
    """Refuse rows of other tables than ours."""
    loader = MigrationExecutor(connection).loader
    ours = {f"{app}.{name}" for app, name in loader.disk_migrations}
    theirs = set(manifest.get("migrations", ()))
    if newer := sorted(theirs - ours):
        raise BackupError(
            f"It is of a newer version of the workbench ({newer[0]}"
            f"{_tell_origin(manifest)}): restore it there."
        )
    for (app, name), migration in loader.disk_migrations.items():
        # A squashed migration and those that it replaces make the same tables.
        squashed = f"{app}.{name}"
        replaced = {".".join(one) for one in migration.replaces}
        if squashed in theirs or (replaced and replaced <= theirs):
            theirs |= {squashed} | replaced
    if older := sorted(ours - theirs):
        raise BackupError(
            f"It is of an older version of the workbench (without {older[0]}"
            f"{_tell_origin(manifest)}): restore it with that version, then upgrade."
        )


def _tell_origin(manifest: dict[str, Any]) -> str:
    """Return ", made on 2026-11-25 by commit 0123abcd", as far as it is known."""
    day = re.match(r"\d{4}-\d\d-\d\d", str(manifest.get("created_at")), re.ASCII)
    commit = re.fullmatch(r"[0-9a-f]{40,64}", str(manifest.get("commit")))
    made = f", made on {day[0]}" if day else ""
    return f"{made} by commit {commit[0][:10]}" if made and commit else made
