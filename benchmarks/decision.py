"""What one decision at the desk costs, including the next task that it returns.

Processor time and queries of one request, in one process through Django's test client,
on the rows of the deployment (`./webrl seed` first). With `--set against=COMMIT` that
commit's code is measured too, alternating with ours, and is the reference.
"""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.records import Record
from scripts.workbench.paths import ROOT

CHILD = Path(__file__).with_name("decision_child.py")
TURNS, DECISIONS = 3, 60


@dataclasses.dataclass(frozen=True, slots=True)
class Cost:
    """A decision's median processor time in ms, and its number of database queries."""

    ms: float
    queries: float


KINDS: tuple[tuple[str, str, Callable[[Cost], float]], ...] = (
    ("processor time", "ms", lambda cost: cost.ms),
    ("queries", "", lambda cost: cost.queries),
)


def run(choices: Sequence[str] = ()) -> list[Record]:
    """Measure and return the records."""
    against = _read(choices)
    if not against:
        return _compare([_measure(ROOT) for _ in range(TURNS)], [])
    with _older(against) as folder:
        pairs = [(_measure(ROOT), _measure(folder)) for _ in range(TURNS)]
    ours, theirs = zip(*pairs, strict=True)
    return _compare(ours, theirs)


def _read(choices: Sequence[str]) -> str:
    found = dict(choice.split("=", 1) for choice in choices)
    if set(found) - {"against"}:
        raise SystemExit("Only against=COMMIT can be set.")
    return found.get("against", "")


def _compare(ours: Sequence[Cost], theirs: Sequence[Cost]) -> list[Record]:
    n = len(ours) * DECISIONS
    return [
        Record(
            f"{title} of a decision with its next page",
            statistics.median(map(read, ours)),
            statistics.median(map(read, theirs)) if theirs else None,
            unit,
            n,
        )
        for title, unit, read in KINDS
    ]


def _measure(folder: Path) -> Cost:
    """Run the decisions with a checkout's code, in a separate process."""
    done = subprocess.run(
        # This folder must not be on the path: its modules have the names of packages.
        [sys.executable, "-P", str(CHILD), str(DECISIONS)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), **_quiet()},
        stdout=subprocess.PIPE,
        check=True,
    )
    found = json.loads(done.stdout)
    return Cost(statistics.median(found["ms"]), found["queries"])


def _quiet() -> dict[str, str]:
    """Return settings that wake no worker and use our data folder."""
    data = os.environ.get("WEBRL_DATA_DIR") or str(ROOT / "var")
    quiet = {"BROKER_URL": "memory://localhost/", "LOG_LEVEL": "ERROR"}
    return {"WEBRL_DATA_DIR": data, **quiet}


@contextmanager
def _older(commit: str) -> Iterator[Path]:
    """Yield a checkout of another commit, which is removed afterwards."""
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory(prefix="webrl-older-") as name:
        folder = Path(name) / "checkout"
        subprocess.run([*git, "add", "--detach", "-q", folder, commit], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)
