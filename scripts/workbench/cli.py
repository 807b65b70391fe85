"""The verbs of `./webrl`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence

from scripts.workbench import children, chromium, testing, venv
from scripts.workbench.paths import PYTHON, ROOT, WorkbenchError


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every verb; each sets `call`, which returns an exit code."""
    parser = argparse.ArgumentParser(
        prog="./webrl", description="WebRL Workbench: one command for everything."
    )
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")

    setup = verbs.add_parser("setup", help="install what the other verbs need")
    setup.add_argument("--dev", action="store_true", help="test tools as well")
    setup.set_defaults(call=_setup)

    test = verbs.add_parser("test", help="run the tests: all, or the named stages")
    test.add_argument("stages", nargs="*", metavar="|".join(testing.STAGES))
    test.set_defaults(call=lambda given: testing.test(given.stages))

    lint = verbs.add_parser("lint", help="run the linters and type checks alone")
    lint.set_defaults(call=lambda given: testing.lint())

    manage = verbs.add_parser("manage", help="pass a command on to manage.py")
    manage.add_argument("arguments", nargs=argparse.REMAINDER)
    manage.set_defaults(call=lambda given: _manage(given.arguments))

    lock = verbs.add_parser("lock", help="resolve the dependencies anew")
    lock.set_defaults(call=_lock)
    return parser


def _setup(given: argparse.Namespace) -> int:
    venv.ensure(dev=given.dev)
    chromium.ensure()
    return 0


def _manage(arguments: Sequence[str]) -> int:
    venv.ensure()
    command = [str(PYTHON), "manage.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=children.environment(), check=False
    ).returncode


def _lock(given: argparse.Namespace) -> int:
    venv.lock()
    return 0


def main(arguments: Sequence[str]) -> int:
    """Run one verb; return the exit code."""
    given = build_parser().parse_args(arguments)
    try:
        return int(given.call(given))
    except WorkbenchError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
