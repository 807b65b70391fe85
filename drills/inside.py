"""The process of a group of drills; prints a line of JSON per bar.

Django is set up over the deployment that the environment names, so that a drill
reads and writes the same rows as the processes that it starts and kills.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import traceback
from collections.abc import Sequence

import django

from drills.bars import BY_NAME, Bar
from drills.outcome import Outcome, format_line


def main(names: Sequence[str]) -> None:
    """Run the drills of the named bars, one after the other."""
    django.setup()
    profile = os.environ["DRILL_PROFILE"]
    for name in names:
        began = time.monotonic()
        outcome = _measure(BY_NAME[name])
        seconds = round(time.monotonic() - began, 1)
        line = format_line(
            name, BY_NAME[name].asked, outcome, seconds=seconds, profile=profile
        )
        print(line, flush=True)


def _measure(bar: Bar) -> Outcome:
    try:
        found = importlib.import_module(f"drills.{bar.drill}").measure()
    except Exception as error:  # noqa: BLE001 (a bar whose drill breaks does not hold)
        traceback.print_exc()
        return Outcome(f"the drill broke: {type(error).__name__}: {error}"[:600], False)
    if not isinstance(found, Outcome):
        raise TypeError(f"drills.{bar.drill}.measure() returned no Outcome.")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
