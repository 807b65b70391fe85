"""Compile the translations: git keeps the `.po` files, Django reads `.mo` files."""

from __future__ import annotations

import subprocess
from pathlib import Path

from scripts.workbench.install.readable import open_paths
from scripts.workbench.paths import PYTHON, ROOT

LOCALE = ROOT / "locale"


def ensure() -> None:
    """Compile in `.venv` what is missing or old, and start nothing otherwise."""
    if stale := list_stale():
        module = "webrl_site.i18n.catalogues"
        subprocess.run([PYTHON, "-m", module, *stale], cwd=ROOT, check=True)
    open_paths(LOCALE.rglob("*.mo"))


def list_stale(folder: Path = LOCALE) -> list[Path]:
    """Return the `.po` files whose `.mo` is missing or older."""
    return [path for path in sorted(folder.rglob("*.po")) if _is_stale(path)]


def _is_stale(path: Path) -> bool:
    compiled = path.with_suffix(".mo")
    return (
        not compiled.exists() or compiled.stat().st_mtime_ns < path.stat().st_mtime_ns
    )
