"""Run drills: `python -m drills NAME... [--profile P]`; a line of JSON per bar."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from drills.bars import PROFILES, Bar, UnknownBar, choose
from drills.running import run_all
from scripts.workbench.processes.cleanup import ENDING, signals_handled


def main(arguments: Sequence[str]) -> int:
    """Run the named drills; return 0 only if every bar holds."""
    given = _parse(arguments)
    try:
        bars = choose(given.names or ["all"])
    except UnknownBar as error:
        print(error, file=sys.stderr)
        return 2
    if given.list:
        print("\n".join(map(describe, bars)))
        return 0
    with signals_handled(_end_once):
        return run_all(bars, given.profile, is_quiet=given.quiet, table=given.table)


def _end_once(signum: int, _: FrameType | None) -> NoReturn:
    """Leave all blocks, which ends processes and removes folders.

    Further signals are ignored, since they would interrupt that.
    """
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)
    sys.exit(128 + signum)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./webrl drill", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--profile", choices=PROFILES, default=PROFILES[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--table", type=Path, metavar="FILE")
    return parser.parse_args(arguments)


def describe(bar: Bar) -> str:
    """Return the bar's line in the list."""
    how = f"about {bar.seconds} s" if bar.drill else "no drill yet"
    timed = ", needs --quiet" if bar.is_timed else ""
    return f"{bar.name:<4} {bar.asked} ({how}{timed})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
