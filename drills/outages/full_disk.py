"""R10: the disk of the database and of the artifacts fills up, and has room again."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from drills.outages.small_disk import Trial
from drills.outcome import Outcome
from scripts.workbench.paths import ROOT

# In a mount namespace of our own, a mount is private and ends with the namespace.
ISOLATE = ("unshare", "--user", "--map-root-user", "--mount")
MAX_REASON_S, MAX_RETURN_S = 5.0, 10.0
NOTE = "Messages of the broker are lost in R6; here workers ask for work themselves."


def measure() -> Outcome:
    """Run the trial on a small disk in memory, in a namespace of its own."""
    if connection.vendor != "sqlite":
        return Outcome("nothing", None, "The trial fills the disk of SQLite's file.")
    if not can_isolate():
        return Outcome("nothing", None, "This machine lets nobody mount a small disk.")
    found = Trial(**_run_trial())
    text = (
        f"{found.acknowledged} writes acknowledged, {found.missing} of them missing, "
        f"{found.refused} refused while full; told after {found.reason_s:.1f} s; "
        f"episodes went on {found.return_s:.1f} s after there was room; "
        f"{found.damaged} of {found.episodes} episodes lost or failed; the file is "
        f"{found.integrity}"
    )
    is_whole = not found.missing and not found.damaged and found.refused > 0
    in_time = found.reason_s <= MAX_REASON_S and found.return_s <= MAX_RETURN_S
    return Outcome(text, is_whole and in_time and found.integrity == "ok", NOTE)


def can_isolate() -> bool:
    """Return whether a mount in a namespace of its own is allowed here."""
    if shutil.which(ISOLATE[0]) is None:
        return False
    done = subprocess.run([*ISOLATE, "true"], capture_output=True, check=False)
    return done.returncode == 0


def _run_trial() -> dict[str, Any]:
    """Return the measurements of the trial's process.

    Raises:
        RuntimeError: It failed.
    """
    folder = Path(settings.DATA_DIR) / "small-disk"
    folder.mkdir()
    tables = Path(settings.DATA_DIR) / "tables.sqlite3"
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database:
        tables.write_bytes(database.serialize())
    command = [*ISOLATE, sys.executable, "-m", "drills.outages.small_disk"]
    env = os.environ | {"WEBRL_DATA_DIR": str(folder / "data"), "MIN_FREE_MIB": "8"}
    done = subprocess.run(
        [*command, str(folder), str(tables)],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"The trial ended with {done.returncode}.")
    return dict(json.loads(done.stdout.splitlines()[-1]))
