"""The browser: an installed one, the distribution's, or Playwright's own."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from scripts.workbench.commands import answers, find_program, run
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import debian
from scripts.workbench.paths import PYTHON, VENV

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
PACKAGE = "chromium-headless-shell"
# They hold nothing. That Playwright has brought its own browser;
PLAYWRIGHT_STAMP = VENV / "playwright-chromium"
# that its driver, a Node.js program, has answered once.
DRIVER_STAMP = VENV / "playwright-driver"
# Node.js is linked against it, and small images of Debian lack it.
DRIVER_PACKAGE = "libatomic1"
HELP = (
    "No Chromium was found and none could be installed. Install the package "
    "chromium-headless-shell or chromium, or name a Chromium with WEBRL_CHROMIUM."
)


def ensure() -> str:
    """Return the path of a Chromium that starts, or "" for Playwright's own.

    Raises:
        WorkbenchError: There is none, and none could be installed; or its driver does
            not start.
    """
    _ensure_driver()
    named = os.environ.get("WEBRL_CHROMIUM") or os.environ.get("BROWSER_EXECUTABLE")
    if named:
        if not answers([named, "--version"]):
            raise WorkbenchError(f"WEBRL_CHROMIUM names {named}, which does not start.")
        return named
    return _find() or _from_distribution() or _from_playwright()


def _ensure_driver() -> None:
    if DRIVER_STAMP.exists():
        return
    command: list[str | Path] = [PYTHON, "-m", "playwright", "--version"]
    if not answers(command) and debian.can_install():
        debian.install(DRIVER_PACKAGE, expected_s=5)
    if not answers(command):
        raise WorkbenchError(
            "Playwright's driver does not start. Most often the system lacks the "
            f"library libatomic (on Debian the package {DRIVER_PACKAGE})."
        )
    DRIVER_STAMP.touch()


def _find() -> str:
    for program in PROGRAMS:
        path = find_program(program)
        # Some distributions ship a stub under this name that only prints advice.
        if path and answers([path, "--version"]):
            return path
    return ""


def _from_distribution() -> str:
    if PLAYWRIGHT_STAMP.exists() or not debian.can_install():
        return ""
    with suppress(WorkbenchError):
        debian.install(PACKAGE, expected_s=30)
    return _find()


def _from_playwright() -> str:
    if PLAYWRIGHT_STAMP.exists():
        return ""
    libraries = ["--with-deps"] if debian.can_install() else []
    command: list[str | Path] = [PYTHON, "-m", "playwright", "install", *libraries]
    try:
        run(
            "Installing Chromium",
            [*command, "chromium-headless-shell"],
            expected_s=60,
            key="playwright-install",
        )
    except WorkbenchError as error:
        raise WorkbenchError(f"{HELP}\n{error}") from None
    PLAYWRIGHT_STAMP.touch()
    return ""
