"""S13: known holes in the locked packages."""

from __future__ import annotations

import re

from packaging.version import Version

from drills.outcome import Outcome
from scripts.workbench.install.venv import RUNTIME_LOCK, TORCH

# Versions below have published holes that concern us.
FLOORS = {
    "django": "5.2.19",
    "torch": "2.10",
    "kombu": "5.7",
    "celery": "5.7",
    "safetensors": "0.4",
}
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s\\]+)", re.MULTILINE)


def measure() -> Outcome:
    """Compare the lock with the versions that mend what is known."""
    text = f"{RUNTIME_LOCK.read_text(encoding='utf-8')}\n{TORCH}\n"
    pins = {name.lower(): Version(version) for name, version in PIN.findall(text)}
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
    note = "Looking up advisories (pip-audit) needs a network, and hashes in the lock."
    return Outcome(measured, None, note)
