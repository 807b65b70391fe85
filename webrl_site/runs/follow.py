"""Follows a run's phases from the shell: one bar, and a forecast."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from curriculum.models import Phase, PhaseEvent

Status = Phase.Status
POLL_S = 0.4
# Shares of the demo's phase, which took 890 s; together they are 1.
SHARES = {
    Status.PLANNED: 0.0,
    Status.BASELINE: 0.06,
    Status.COLLECTING: 0.41,
    Status.SCORING: 0.04,
    Status.TRAINING: 0.44,
    Status.HANDING_OVER: 0.0,
    Status.EVALUATING: 0.04,
    Status.EVOLVING: 0.01,
    Status.REVIEW: 0.0,
}
ENDED = (Status.CLOSED, Status.STOPPED, Status.FAILED)


class Follower:
    """Shows one phase until it ends, or waits for people."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said = ""

    def follow(self, phase: Phase, on_review: Callable[[Phase], None]) -> Phase:
        """Block until the phase is closed, stopped or failed."""
        with _open_bar(self._console) as progress:
            bar = progress.add_task(f"Phase {phase.number}", total=1.0, left="")
            began, (first, _) = time.monotonic(), _measure(phase)
            while phase.status not in ENDED:
                if phase.status == Status.REVIEW:
                    on_review(phase)
                done, label = _measure(phase)
                left = _forecast(time.monotonic() - began, done, first)
                text = f"Phase {phase.number}: {label}"
                progress.update(bar, completed=done, description=text, left=left)
                self._say_line(phase, label, left)
                time.sleep(POLL_S)
                phase.refresh_from_db()
            progress.update(bar, completed=1.0, left="")
        return phase

    def _say_line(self, phase: Phase, label: str, left: str) -> None:
        """Print each stage once, since there is no bar without a terminal."""
        if self._console.is_terminal or self._said == (said := phase.status):
            return
        self._said = said
        self._console.print(f"Phase {phase.number}: {label} {left}".rstrip())


def _open_bar(console: Console) -> Progress:
    """Return one bar; without a terminal it draws nothing."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        console=console,
        disable=not console.is_terminal,
    )


def _measure(phase: Phase) -> tuple[float, str]:
    """Return the share of the phase that is done, 0 to 1, and its present stage."""
    status = Status(phase.status)
    order = list(SHARES)
    if status not in SHARES:
        return 1.0, str(status.label)
    before = sum(SHARES[stage] for stage in order[: order.index(status)])
    event = (
        PhaseEvent.objects.filter(
            phase=phase, kind="progress", created_at__gte=phase.stage_started_at
        ).last()
        if phase.stage_started_at
        else None
    )
    if event is None or not event.data.get("total"):
        return before, str(status.label)
    done, total = event.data["done"], event.data["total"]
    share = SHARES[status] * min(1.0, done / total)
    return before + share, f"{status.label} {done}/{total}"


def _forecast(seconds: float, done: float, first: float) -> str:
    """Return how long the rest takes at the pace since watching began, if there is one.

    Args:
        seconds: How long it has been watched.
        done: The share that is done now.
        first: The share that was done when watching began.
    """
    gained = done - first
    if gained < 0.05 or seconds < 3:
        return ""
    left = round(seconds / gained * (1 - done))
    return f"about {left // 60}:{left % 60:02d} left"
