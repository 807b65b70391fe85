"""`./webrl gallery --out DIR`: a picture of every page."""

from __future__ import annotations

from pathlib import Path

from scripts.workbench.commands import run
from scripts.workbench.console import say
from scripts.workbench.install import chromium, venv
from scripts.workbench.paths import PYTHON
from scripts.workbench.processes import children

EXPECTED_S = 90


def gallery(folder: Path, language: str = "en") -> int:
    """Take the pictures in a separate process, with a made-up database.

    Raises:
        WorkbenchError: It failed, or a page has a fault (a script error, another
            language, more than the width); the message carries the end of its output.
    """
    venv.ensure()
    run(
        "Taking pictures of every page",
        [PYTHON, "-m", "benchmarks.gallery", folder.absolute(), language],
        expected_s=EXPECTED_S,
        key="gallery",
        env=children.environment(chromium.ensure()),
    )
    say(f"Open {folder / 'index.html'}")
    return 0
