"""Where the tests' files are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """An empty folder of artifacts."""
    settings.ARTIFACTS_DIR = tmp_path
    return tmp_path
