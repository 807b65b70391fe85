"""Run one benchmark by name: `python -m benchmarks NAME [--json FILE]`.

Every module named below has `run() -> list[Record]`. Django is set up first for
all but two of them, so a benchmark may read the database.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

from benchmarks.records import Record, format_table, write_records

NAMES = {
    "acting": "answers and steps a second of the starter policy against `generate`",
    "browsergym": "our step against BrowserGym's on five pages of MiniWoB++",
    "dashboard": "the pages on the example of full size, beside the sign-in page",
    "decision": "processor time and queries of a decision with its next page",
    "desk": "fifty annotators at the review desk, calm and hammering",
    "environment": "a full environment step against bare Playwright",
    "generators": "proposals and verdicts of a checkpoint beside the grammar's",
    "oscar": "adding django-oscar, its episodes and its steps",
    "pages": "reaching a page and reading a large one against bare Playwright",
    "rollouts": "rollouts per minute by number of browser contexts",
    "sandbox": "whether acting at random fails and parallel episodes stay independent",
    "steps": "recorded steps a second against a bare loop",
    "training": "training and scoring beside a plain loop and SFTTrainer",
    "large": "a phase's update with the shape of a large model: speed, memory, use",
    "learning": "objectives, ablations and controls from one start, side by side",
    "workers": "episodes a minute by number of worker processes",
    "phase": "where the time of the last closed phase went",
}

WITH_CHOICES = ("decision", "generators")
# These take choices too, and run where Django is not installed.
WITHOUT_DJANGO = {
    "learning": "benchmarks.learning.command",
    "large": "benchmarks.large",
}


def main(arguments: list[str]) -> int:
    """Run the benchmark, print its table, write its records; return the exit code."""
    parser = argparse.ArgumentParser(prog="./webrl bench", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records")
    parser.add_argument("--list", action="store_true", help="of learning: its methods")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of learning, large, decision and generators",
    )
    given = parser.parse_args(arguments)
    if given.set and given.name not in (*WITH_CHOICES, *WITHOUT_DJANGO):
        parser.error(f"{given.name} takes no --set")
    if given.name in WITHOUT_DJANGO:
        return _run_bare(given)
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")
    django.setup()
    module = importlib.import_module(f"benchmarks.{given.name}")
    choices = [given.set] if given.name in WITH_CHOICES else []
    _print(module.run(*choices), given.json)
    return 0


def _run_bare(given: argparse.Namespace) -> int:
    """Print the methods' names, or run what is chosen; without Django."""
    if given.list:
        from benchmarks.learning.methods import METHODS

        print("\n".join(method.name for method in METHODS))
        return 0
    module = importlib.import_module(WITHOUT_DJANGO[given.name])
    _print(module.run(given.set), given.json)
    return 0


def _print(records: list[Record], file: Path | None) -> None:
    print(format_table(records))
    if file:
        write_records(file, records)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
