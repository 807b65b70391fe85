"""The recipe's progress lines while it collects episodes."""

from __future__ import annotations

import sys
import time


class Progress:
    """Counts episodes and successes on stderr."""

    def __init__(self, name: str, total: int) -> None:
        """Start at zero."""
        self.name, self.total = name, total
        self.done = self.successes = 0
        self.started = time.monotonic()

    def add(self, outcome: bool) -> None:
        """Count one episode."""
        self.done += 1
        self.successes += outcome
        if self.done % 50 == 0 or self.done == self.total:
            seconds = time.monotonic() - self.started
            sys.stderr.write(
                f"{self.name} {self.done}/{self.total} episodes, "
                f"{self.successes / self.done:.1%} solved, {seconds:.0f} s\n"
            )
