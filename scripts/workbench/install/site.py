"""`./webrl site`: published sites that can be added, and the existing ones.

MiniWoB++ is by the Farama Foundation, after MiniWoB by Shi et al. (2017), under the
MIT licence. Its pages are files of the Python wheel `miniwob`; they are unpacked as
data, with their licence, and none of its Python is installed or run. django-oscar is
an application and is added by `scripts/workbench/install/oscar.py`.
"""

from __future__ import annotations

from pathlib import Path

from scripts.workbench import up
from scripts.workbench.commands import run, tail
from scripts.workbench.console import say, step
from scripts.workbench.install import oscar
from scripts.workbench.install.wheel import Wheel, fetch
from scripts.workbench.paths import DATA_DIR, LOG_DIR, PYTHON
from scripts.workbench.processes import children

MINIWOB = Wheel(
    name="miniwob",
    version="1.1.0",
    sha256="297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9",
    folder="miniwob/html",
    licence="miniwob-1.1.0.dist-info/licenses/LICENSE",
)
SUITES = DATA_DIR / "suites"


def _add_miniwob() -> None:
    target = SUITES / MINIWOB.key
    if not target.is_dir():
        with step("Downloading miniwob", expected_s=8, key="fetch-miniwob"):
            fetch(MINIWOB, target, PYTHON)


def _add_oscar() -> None:
    oscar.ensure(SUITES / oscar.NAME)


ADDABLE = {"miniwob": _add_miniwob, "oscar": _add_oscar}


def add(key: str) -> int:
    """Download a site and register it with its tasks; safe to repeat.

    Raises:
        WorkbenchError: The site is not available, or cannot be registered.
    """
    browser = up.install()
    ADDABLE[key]()
    env = children.environment(browser)
    for title, command, expected_s in (
        ("Preparing the database", "migrate", 5),
        ("Adding tasks", f"load_{key}", 20),
    ):
        _manage(title, command, expected_s, env)
    say(tail(LOG_DIR / f"load_{key}.log"))
    return 0


def list_all() -> int:
    """Print the sites and those that can be added."""
    return up.manage(["list_sites"])


def _manage(title: str, command: str, expected_s: float, env: dict[str, str]) -> None:
    manage: list[str | Path] = [PYTHON, "manage.py", command]
    run(title, manage, expected_s=expected_s, key=command, env=env)
