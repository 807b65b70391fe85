"""Paths in a checkout."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
DATA_DIR = (
    Path(os.environ.get("WEBRL_DATA_DIR") or ROOT / "var").expanduser().absolute()
)
LOG_DIR = DATA_DIR / "log"
