"""Where `./webrl` begins."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from scripts.workbench import env_file
from scripts.workbench.errors import WorkbenchError


def _keep_private() -> None:
    """Let whatever is started write for its owner alone; mend the data folder."""
    from scripts.workbench.paths import DATA_DIR
    from webrl_site.private_files import keep_private

    keep_private(DATA_DIR)


def main(arguments: Sequence[str]) -> int:
    """Run one verb; return the exit code. What a person can mend is one message."""
    try:
        env_file.load()
        _keep_private()
        # Its modules read the environment when they are imported.
        from scripts.workbench.cli import run_verb

        return run_verb(arguments)
    except WorkbenchError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
