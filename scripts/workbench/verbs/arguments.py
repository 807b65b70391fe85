"""Parsing of a verb's arguments, and their help."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[[Any], int]
PHASE_HELP = "its number, or RUN/NUMBER, as `./webrl runs` lists them"
RUN_HELP = "the run's number, as `./webrl runs` lists it"
SITE_HELP = "the site's key, as `./webrl site list` says"
WEIGHTS_HELP = "letters, digits, - and _"


def new_file(name: str) -> Path:
    """Refuse at once an argument that would fail only after minutes of work."""
    path = Path(name).absolute()
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{name} is a folder: name a file")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path} cannot be written: name another file")
    return path


def count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def weights_name(text: str) -> str:
    """Read the name of new weights, which becomes part of folders and files."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} must be {WEIGHTS_HELP}")
    if text.startswith("phase-"):
        raise argparse.ArgumentTypeError("names with phase- belong to phases")
    return text


def phase_name(text: str) -> str:
    """Read a phase's number, or RUN/NUMBER; its existence is checked later."""
    run, slash, number = text.rpartition("/")
    if not number.isdecimal() or bool(slash) != bool(run):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no phase: write its number, or RUN/NUMBER as "
            "`./webrl runs` lists them"
        )
    return text
