"""The file .env beside this checkout: deployment settings, one NAME=value per line."""

from __future__ import annotations

import os
from pathlib import Path

from scripts.workbench.errors import WorkbenchError

ENV_FILE = Path(__file__).resolve().parents[2] / ".env"
# Names that came from the file; the tests run without them.
loaded: set[str] = set()


def load(file: Path = ENV_FILE) -> None:
    """Add the file's variables to the environment; what is set already wins.

    Raises:
        WorkbenchError: A line is neither empty, a comment nor NAME=value.
    """
    if not file.exists():
        return
    text = file.read_text(encoding="utf-8")
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name.isidentifier():
            raise WorkbenchError(f"{file.name}, line {number}: expected NAME=value.")
        if name not in os.environ:
            os.environ[name] = value.strip("\"'")
            loaded.add(name)
