"""Checks the oracle on all tasks: `python -m rollouts.sites.sandbox.check_oracle`.

Runs the tasks through the collector in a real browser and prints those that fail,
with the step at which they went wrong.
"""

from __future__ import annotations

import argparse
import sys
import time

from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.oracle import OraclePolicy
from rollouts.sites.sandbox.playing import play


def main() -> int:
    """Parse the command line, run, print; 0 when every task was solved."""
    parser = argparse.ArgumentParser(description="Run the oracle on the tasks.")
    parser.add_argument("--limit", type=int, help="Only the first so many tasks.")
    parser.add_argument("--split", choices=("train", "validation", "test"))
    parser.add_argument("--template", help="Only tasks of this template.")
    parser.add_argument("--contexts", type=int, default=4)
    arguments = parser.parse_args()
    tasks = [
        task
        for task in load_tasks(arguments.split)
        if arguments.template in (None, task["template_key"])
    ][: arguments.limit]
    start, solved = time.monotonic(), 0
    with running_sandbox() as sandbox:
        for attempt in play(
            OraclePolicy(tasks),
            tasks,
            contexts=arguments.contexts,
            control_url=sandbox.control_url,
        ):
            solved += attempt.has_succeeded
            if not attempt.has_succeeded:
                sys.stdout.write(attempt.explain() + "\n")
    seconds = time.monotonic() - start
    sys.stdout.write(f"{solved} of {len(tasks)} solved in {seconds:.0f} s\n")
    return 0 if solved == len(tasks) else 1


if __name__ == "__main__":
    sys.exit(main())
