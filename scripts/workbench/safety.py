"""`./webrl backup`, `./webrl restore`, `./webrl support` and `./webrl drill`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from scripts.workbench import up
from scripts.workbench.commands import pass_on
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import chromium, venv
from scripts.workbench.paths import PYTHON
from scripts.workbench.processes import children, running

PROFILES = ("embedded", "servers")


def back_up(file: Path) -> int:
    """Write a backup of the deployment, which may be running."""
    return up.manage(["back_up", str(file)])


def restore(file: Path) -> int:
    """Write a backup into an empty deployment that does not run.

    Raises:
        WorkbenchError: It runs, or there is no such file.
    """
    if running.is_running():
        running.refuse()
    if not file.is_file():
        raise WorkbenchError(f"There is no file {file}.")
    return up.manage(["restore", str(file.absolute())])


def write_support(file: Path) -> int:
    """Write the file for support about the deployment; it has no secrets."""
    return up.manage(["write_support", str(file)])


def drill(
    names: Sequence[str],
    profile: str,
    *,
    is_list: bool,
    is_quiet: bool,
    table: Path | None = None,
) -> int:
    """Run drills on separate deployments; 0 only if every bar is met."""
    # Standard output is for the drills' lines of JSON.
    with redirect_stdout(sys.stderr):
        # Drills use what tests use: clients, and stand-ins for models and sites.
        venv.ensure(dev=True)
        env = children.environment(chromium.ensure())
    words = [*names, f"--profile={profile}"]
    words += ["--list"] if is_list else []
    words += ["--quiet"] if is_quiet else []
    words += [f"--table={table.absolute()}"] if table else []
    command = [str(PYTHON), "-m", "drills", *words]
    return pass_on(command, env=env)
