"""S13: known holes in the locked packages.

`ADVISORIES_FILE` names a file that the operator has downloaded. Without it, pip-audit
is used if it is installed and has a network. The outcome states which was used.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import sys
from pathlib import Path

from packaging.version import Version

from drills.hostile.advisories import (
    Hole,
    NoAdvisories,
    ask_pip_audit,
    normalise,
    read_file,
)
from drills.outcome import Outcome
from scripts.workbench.install.venv import RUNTIME_LOCK, S3_LOCK, TORCH

# Versions below have published holes that concern us.
FLOORS = {
    "django": "5.2.19",
    "torch": "2.10",
    "kombu": "5.7",
    "celery": "5.7",
    "safetensors": "0.4",
}
# Records older than this say little of today's versions.
NEW_DAYS = 30
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s\\]+)", re.MULTILINE)
HELP = (
    "No advisories were looked up. Set ADVISORIES_FILE to OSV's export for PyPI "
    "(docs/reliability.md), or install pip-audit where there is a network."
)


def measure() -> Outcome:
    """Compare the locks with the versions that fix known holes, then look up."""
    texts = [path.read_text(encoding="utf-8") for path in (RUNTIME_LOCK, S3_LOCK)]
    text = "\n".join([*texts, TORCH, ""])
    pins = {normalise(name): Version(version) for name, version in PIN.findall(text)}
    low = [
        f"{name} {pins.get(name, 'missing')} < {floor}"
        for name, floor in FLOORS.items()
        if name not in pins or pins[name] < Version(floor)
    ]
    unpinned = [
        line
        for line in text.splitlines()
        if line and not line.startswith(("#", " ")) and "==" not in line
    ]
    measured = (
        f"{len(pins)} packages pinned, {len(unpinned)} not; "
        f"{len(FLOORS) - len(low)} of {len(FLOORS)} floors kept"
    )
    if low or unpinned:
        return Outcome(measured, False, "; ".join([*low, *unpinned][:5]))
    return look_up(measured, pins, os.environ.get("ADVISORIES_FILE", ""))


def look_up(measured: str, pins: dict[str, Version], file: str) -> Outcome:
    """Add the known holes of the pinned versions, with source and date."""
    try:
        if file:
            return ask_file(measured, pins, Path(file))
        # From this virtual environment, or the operator's.
        beside = Path(sys.executable).with_name("pip-audit")
        program = str(beside) if beside.is_file() else shutil.which("pip-audit")
        answer = ask_pip_audit(program or "pip-audit", pins)
    except NoAdvisories as error:
        return Outcome(measured, None, f"{error} {HELP}")
    source = f"online by pip-audit, {answer.looked} packages"
    return judge(measured, source, answer.holes)


def ask_file(measured: str, pins: dict[str, Version], path: Path) -> Outcome:
    """Look up in a file. An old file can show a hole, but not that there is none."""
    answer = read_file(path, pins)
    now = dt.datetime.now(dt.UTC).date()
    stored = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC).date()
    day = answer.newest or stored
    source = f"offline, {answer.looked} records of {path.name}, newest of {day}"
    outcome = judge(measured, source, answer.holes)
    age = (now - day).days
    if outcome.ok and age > NEW_DAYS:
        note = f"The newest record is {age} days old: download the records again."
        return Outcome(outcome.measured, None, f"{note} {outcome.note}".strip())
    return outcome


def judge(measured: str, source: str, holes: list[Hole]) -> Outcome:
    """Return whether no hole is high; one without a severity counts as high."""
    high = [hole for hole in holes if hole.is_high]
    text = f"{measured}; {source}: {len(high)} high, {len(holes) - len(high)} lower"
    named = ", ".join(f"{hole.package} {hole.name}" for hole in holes)
    return Outcome(text, not high, named[:600])
