"""Adds django-oscar: a separate environment, and the shop's folder built with it.

django-oscar 4.2.1 is by David Winterbottom and others, under the BSD licence.
It is installed by pip at pinned versions, each file checked by its digest, into a
separate environment that the workbench's own does not use; its code is not changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scripts.workbench.commands import run
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import PYTHON, ROOT

NAME = "oscar-4.2.1"
SOURCES = ROOT / "rollouts" / "sites" / "oscar"
# What builds the one package that is published as source, then everything else.
LOCKS = (SOURCES / "build.lock", SOURCES / "requirements.lock")
# What determines the folder's contents.
SHOP_FILES = (
    "rollouts/sites/oscar/data.py",
    "rollouts/sites/oscar/names.py",
    "rollouts/sites/kit/vocabulary.py",
)
STAMP = "stamp.json"
# As in rollouts/sites/oscar/names.py, which this file cannot import.
TEMPLATE = "template.sqlite3"
SOCKET = "shop.sock"
# The kernel's limit on the path of a socket.
MAX_SOCKET_LENGTH = 107


def python_of(folder: Path) -> Path:
    """The interpreter that runs the shop in this folder."""
    return folder / "venv" / "bin" / "python"


def is_there(folder: Path) -> bool:
    """Return whether the shop has been built: its template is made last."""
    return (folder / TEMPLATE).is_file()


def server_command(folder: Path) -> tuple[str, ...]:
    """The shop's process; it prints "ready" once it serves."""
    module = "rollouts.sites.oscar.project.serve"
    return (str(python_of(folder)), "-m", module, str(folder))


@contextmanager
def running_shop(folder: Path) -> Iterator[None]:
    """Run the shop's process during the block, for checks outside `./webrl up`.

    If it runs already, that process is used and left running.

    Raises:
        WorkbenchError: It does not start.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        is_running = probe.connect_ex(str(folder / SOCKET)) == 0
    if is_running:
        yield
        return
    command = server_command(folder)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        try:
            if process.stdout is None or b"ready" not in process.stdout.readline():
                raise WorkbenchError(f"{' '.join(command)} does not start.")
            yield
        finally:
            process.terminate()


def ensure(folder: Path, *, pip_python: str | Path = PYTHON) -> bool:
    """Build the shop in the folder; return whether anything had to be done.

    Args:
        folder: Where environment, template database, index and pictures go.
        pip_python: A Python with pip, which installs into the new environment.

    Raises:
        WorkbenchError: The path is too long, or a step failed.
    """
    if len(str(folder / SOCKET)) > MAX_SOCKET_LENGTH:
        raise WorkbenchError(
            f"{folder} is too long a path for a socket: set WEBRL_DATA_DIR to a "
            "shorter one."
        )
    wanted = wanted_stamp()
    found = _read_stamp(folder)
    if found.get("environment") != wanted["environment"]:
        _install(folder, pip_python)
        found = {"environment": wanted["environment"]}
        _write_stamp(folder, found)
    if found == wanted and is_there(folder):
        return False
    _build(folder)
    _write_stamp(folder, wanted)
    return True


def wanted_stamp() -> dict[str, str]:
    """The inputs of a folder, as digests."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    project = sorted((SOURCES / "project").glob("*.py"))
    files = [*project, *(ROOT / name for name in SHOP_FILES)]
    return {
        "environment": f"{python} {_digest(LOCKS)}",
        "shop": _digest(files),
    }


def _install(folder: Path, pip_python: str | Path) -> None:
    shutil.rmtree(folder / "venv", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    run(
        "Creating Oscar's environment",
        [sys.executable, "-m", "venv", "--without-pip", folder / "venv"],
        expected_s=2,
        key="oscar-venv",
    )
    pip = [pip_python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    install = ["install", "--progress-bar=off", "--no-compile", "--no-deps"]
    for lock in LOCKS:
        run(
            f"Installing Oscar's {lock.stem}",
            [
                *(*pip, "--python", python_of(folder), *install),
                *("--no-build-isolation", "--require-hashes", "-r", lock),
            ],
            expected_s=15,
            key=f"oscar-{lock.stem}",
        )


def _build(folder: Path) -> None:
    run(
        "Filling Oscar's shop",
        [python_of(folder), "-m", "rollouts.sites.oscar.project.build", folder],
        expected_s=8,
        key="oscar-build",
    )


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _read_stamp(folder: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        stamp: dict[str, str] = json.loads((folder / STAMP).read_text("utf-8"))
        return stamp
    return {}


def _write_stamp(folder: Path, stamp: dict[str, str]) -> None:
    (folder / STAMP).write_text(json.dumps(stamp, indent=1), encoding="utf-8")
