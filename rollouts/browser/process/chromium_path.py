"""Finds Chromium without loading Playwright."""

from __future__ import annotations

import os
import shutil

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import HarnessBroken

CHROMIUM_VARIABLE = "WEBRL_CHROMIUM"
_NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)


def find_chromium(setting: str | None = None) -> str | None:
    """Return the browser to start, or None for the one Playwright has installed.

    Raises:
        HarnessBroken: The setting names a program that does not exist.
    """
    wanted = setting or os.environ.get(CHROMIUM_VARIABLE)
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            raise HarnessBroken(Sentence("browser_missing", name=repr(wanted)))
        return found
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def has_sandbox() -> bool:
    """Say whether Chromium runs in its own sandbox; as root it cannot."""
    return os.geteuid() != 0
