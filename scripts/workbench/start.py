"""The entry point of `./webrl`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from scripts.workbench import env_file
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.pipes import until_reader_leaves


def main(arguments: Sequence[str]) -> int:
    """Run one verb; return the exit code. Errors that a person can fix are printed."""
    # All started processes write files that only their owner can read.
    os.umask(0o077)
    try:
        env_file.load()
        # Its modules read the environment when they are imported.
        from scripts.workbench.cli import run_verb

        with until_reader_leaves():
            return run_verb(arguments)
    except WorkbenchError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
