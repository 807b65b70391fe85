"""The trial of R10: `python -m drills.outages.small_disk FOLDER TABLES`.

FOLDER becomes a small disk in memory, TABLES is an empty database. Prints what was
measured as one line of JSON.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import django

DISK_MIB, EPISODES = 64, 600
BEFORE, FULL_FOR_S, LIMIT_S = 30, 6.0, 400.0
PAUSE_S = 0.1
WORKERS = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """The trial's measurements.

    Attributes:
        reason_s: Seconds until the phase showed that the disk is full.
        return_s: Seconds until another episode ended after there was room.
        acknowledged: Writes that were acknowledged.
        missing: How many of these are missing.
        refused: Writes that were refused.
        episodes: Number of all episodes.
        damaged: How many of these are lost, doubled or failed.
        integrity: Result of SQLite's integrity check; "ok".
    """

    reason_s: float
    return_s: float
    acknowledged: int
    missing: int
    refused: int
    episodes: int
    damaged: int
    integrity: str


def main(folder: Path, tables: Path) -> None:
    """Mount, prepare, measure."""
    size = f"size={DISK_MIB}m"
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True
    )
    (folder / "data").mkdir(mode=0o700)
    shutil.copy2(tables, folder / "data" / "webrl.sqlite3")
    django.setup()
    trial = measure(folder, tables.with_name("acknowledged"))
    print(json.dumps(dataclasses.asdict(trial)))


def measure(disk: Path, acknowledged: Path) -> Trial:
    """Fill the disk while workers and a writer run; make room; check everything."""
    from django.conf import settings
    from django.db import connection

    from drills.faults.episodes import find_damage, open_collecting
    from drills.faults.workers import count_left, end, spawn
    from drills.outages.small_disk_writer import check_written, collect_on, write_on
    from rollouts.models import Trajectory
    from rollouts.selectors.sites import describe_waits
    from tests import fakes

    for kind in ("policy", "critic", "orm"):
        fakes.write_checkpoint(settings.DATA_DIR / "models/starter" / kind, 0.5)
    phase = open_collecting(EPISODES)
    ended = Trajectory.objects.filter(phase=phase, status="finished")
    children = [spawn(lambda: collect_on(phase.pk)) for _ in range(WORKERS)]
    children.append(spawn(lambda: write_on(phase.pk, acknowledged)))
    try:
        _wait(lambda: ended.count() >= BEFORE)
        filler = fill(disk)
        reason_s = _wait(lambda: describe_waits(phase))
        time.sleep(FULL_FOR_S)
        before = ended.count()
        filler.unlink()
        return_s = _wait(lambda: ended.count() > before)
        _wait(lambda: not count_left(phase.pk))
    finally:
        end(children)
    written, missing, refused = check_written(acknowledged)
    [[integrity]] = connection.cursor().execute("PRAGMA integrity_check").fetchall()
    damaged = len(find_damage(phase.pk, EPISODES))
    return Trial(
        reason_s, return_s, written, missing, refused, EPISODES, damaged, integrity
    )


def fill(disk: Path) -> Path:
    """Write until nothing fits any more; return the file."""
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(65_536)) == 65_536:
            continue
    return filler


def _wait(condition: Callable[[], object]) -> float:
    """Return the seconds until the condition holds; a full disk may break its check."""
    from django.db import DatabaseError

    began = time.monotonic()
    while time.monotonic() - began < LIMIT_S:
        with suppress(DatabaseError):
            if condition():
                return time.monotonic() - began
        time.sleep(PAUSE_S)
    raise TimeoutError("It never came to that.")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
