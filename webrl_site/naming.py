"""What the commands share that train something under a name."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError


def check_name(name: str) -> str:
    """Return the name, which is one folder's.

    Raises:
        CommandError: It could lead elsewhere, or be a phase's.
    """
    # A slug cannot lead out of the folder, and "phase-7" is that phase's.
    if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise CommandError("A name is made of letters, digits, - and _.")
    if name.startswith("phase-"):
        raise CommandError("Names that begin with phase- belong to phases.")
    return name


def show_progress(progress: dict[str, Any]) -> None:
    """Say on the terminal how far the trainer is."""
    sys.stderr.write(
        f"\r{progress.get('stage', '')} {progress.get('done', 0)} of "
        f"{progress.get('total', 0)}  "
    )
