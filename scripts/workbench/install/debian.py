"""Packages of the distribution, if it is like Debian and we may install them."""

from __future__ import annotations

import os
from functools import cache

from scripts.workbench.commands import answers, find_program, run


@cache
def _privilege() -> list[str] | None:
    """Return the prefix of `apt-get`, or None if we may not install."""
    if not find_program("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "--non-interactive"]
    return sudo if find_program("sudo") and answers([*sudo, "true"]) else None


def can_install() -> bool:
    """Return whether `install` can work: apt, and root or sudo without a password."""
    return _privilege() is not None


def install(*packages: str, expected_s: float) -> None:
    """Install packages of the distribution.

    Raises:
        WorkbenchError: apt-get failed.
    """
    _update()
    run(
        f"Installing {packages[0]}",
        [*_apt(), "install", "--yes", "--no-install-recommends", *packages],
        expected_s=expected_s,
        key=f"apt-{packages[0]}",
    )


@cache
def _update() -> None:
    run(
        "Reading the package lists",
        [*_apt(), "update"],
        expected_s=10,
        key="apt-update",
    )


def _apt() -> list[str]:
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]
    return [*(_privilege() or []), *quiet]
