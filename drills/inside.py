"""The process of a group of drills; prints a line of JSON per bar.

Django is set up over the deployment that the environment names, so that a drill
reads and writes the same rows as the processes that it starts and kills.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import sys
import time
import traceback
from collections.abc import Sequence

import django

from drills.bars import BY_NAME, Bar
from drills.outcome import Outcome, format_line

# A drill hangs if it takes ten times as long as usual, and ten minutes at least.
USUAL_TIMES, MIN_LIMIT_S = 10, 600
STDERR = 2  # the descriptor, whatever stands for sys.stderr


def main(names: Sequence[str]) -> None:
    """Run the drills of the named bars, one after the other."""
    django.setup()
    profile = os.environ["DRILL_PROFILE"]
    for name in names:
        began = time.monotonic()
        outcome = measure(BY_NAME[name], limit_s=find_limit(BY_NAME[name]))
        seconds = round(time.monotonic() - began, 1)
        line = format_line(
            name, BY_NAME[name].asked, outcome, seconds=seconds, profile=profile
        )
        print(line, flush=True)


def find_limit(bar: Bar) -> float:
    """Return after how many seconds the bar's drill counts as hanging."""
    asked_s = 60 * float(os.environ.get("DRILL_MINUTES") or 0)
    # DRILL_POINTS=0 tries nine times as many writes as usual.
    times = USUAL_TIMES * (10 if os.environ.get("DRILL_POINTS") == "0" else 1)
    return max(times * bar.seconds, MIN_LIMIT_S) + 2 * asked_s


def measure(bar: Bar, *, limit_s: float) -> Outcome:
    """Run the bar's drill.

    One that takes longer than `limit_s` ends this process: nothing else could end a
    thread that waits for ever. Where each thread was is written to standard error.
    """
    faulthandler.dump_traceback_later(limit_s, exit=True, file=STDERR)
    try:
        found = importlib.import_module(f"drills.{bar.drill}").measure()
    except Exception as error:  # noqa: BLE001 (a bar whose drill breaks does not hold)
        traceback.print_exc()
        return Outcome(f"the drill broke: {type(error).__name__}: {error}"[:600], False)
    finally:
        faulthandler.cancel_dump_traceback_later()
    if not isinstance(found, Outcome):
        raise TypeError(f"drills.{bar.drill}.measure() returned no Outcome.")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
