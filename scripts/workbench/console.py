"""Lines and bars on the terminal, with a forecast for everything that takes time."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from scripts.workbench.paths import VENV

BAR_WIDTH = 24
# Without a terminal a line is written at most this often, and in a long step at
# intervals of a tenth of its time so far: a bench of hours leaves a readable log.
QUIET_EVERY_S = 15.0
QUIET_SHARE = 0.1
TIMINGS = VENV / "timings.json"


def say(text: str = "") -> None:
    """Write one line at once."""
    print(text, flush=True)


def format_seconds(seconds: float) -> str:
    """Return "8 s" or "3 min 20 s"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"


class Bar:
    """One line that shows a step's progress and when it will end."""

    def __init__(
        self,
        title: str,
        expected_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.title = title
        self.expected_s = max(expected_s, 0.1)
        self.clock = clock
        self.started = clock()
        self.is_live = sys.stdout.isatty()
        self._last = self.started
        self._width = 0

    @property
    def elapsed(self) -> float:
        return self.clock() - self.started

    def tick(self, fraction: float | None = None, note: str = "") -> None:
        """Draw the bar again; call as often as you like.

        Args:
            fraction: Share done, 0 to 1; estimated from the forecast if None.
            note: What is being done now.
        """
        now = self.clock()
        pause = max(QUIET_EVERY_S, QUIET_SHARE * self.elapsed)
        if now - self._last < (0.1 if self.is_live else pause):
            return
        self._last = now
        guess = min(0.98, self.elapsed / self.expected_s)
        share = guess if fraction is None else min(1.0, max(0.0, fraction))
        self._write(share, self._forecast(fraction), note)

    def _forecast(self, fraction: float | None) -> str:
        if fraction is not None and fraction >= 0.05:
            left = self.elapsed * (1 - fraction) / fraction
        elif self.elapsed < self.expected_s:
            left = self.expected_s - self.elapsed
        else:
            return f"longer than the expected {format_seconds(self.expected_s)}"
        return f"about {format_seconds(left)} left"

    def _write(self, share: float, forecast: str, note: str) -> None:
        filled = round(share * BAR_WIDTH)
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        passed = format_seconds(self.elapsed)
        text = f"{self.title:<28} [{bar}] {share:4.0%}  {passed}, {forecast}"
        if note:
            text += f"  {note}"
        if not self.is_live:
            say(text)
            return
        print(f"\r{text:<{self._width}}", end="", flush=True)
        self._width = max(self._width, len(text))

    def end(self, outcome: str) -> None:
        text = f"{self.title:<28} {outcome}"
        print(f"\r{text:<{self._width}}" if self.is_live else text, flush=True)


@contextmanager
def step(title: str, *, expected_s: float, key: str = "") -> Iterator[Bar]:
    """Show a bar while the block runs; remember how long it took under `key`."""
    known = _read_timings()
    bar = Bar(title, known.get(key, expected_s))
    if not bar.is_live and bar.expected_s > 2:
        say(f"{title:<28} about {format_seconds(bar.expected_s)}")
    try:
        yield bar
    except BaseException:
        bar.end("failed")
        raise
    bar.end(f"done in {format_seconds(bar.elapsed)}")
    if key:
        _write_timing(key, bar.elapsed)


def _read_timings() -> dict[str, float]:
    with suppress(OSError, ValueError):
        known = json.loads(TIMINGS.read_text(encoding="utf-8"))
        return {str(key): float(value) for key, value in known.items()}
    return {}


def _write_timing(key: str, seconds: float) -> None:
    with suppress(OSError):
        timings = _read_timings() | {key: round(seconds, 1)}
        TIMINGS.write_text(json.dumps(timings, indent=1), encoding="utf-8")
