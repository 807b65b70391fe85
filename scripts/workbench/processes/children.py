"""The environment of every process that we start."""

from __future__ import annotations

import os

from scripts.workbench.paths import DATA_DIR, VENV

# Two busy-waiting threads next to one busy process run at a third of their speed.
CALM = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def environment(chromium: str = "", **more: str) -> dict[str, str]:
    """Return our environment with the virtual environment's and the calm settings.

    Args:
        chromium: Path of the browser; "" leaves the choice to Playwright.
        more: Further variables, which take precedence.
    """
    env = dict(os.environ)
    for name, value in CALM.items():
        env.setdefault(name, value)
    env["VIRTUAL_ENV"] = str(VENV)
    env["PATH"] = f"{VENV / 'bin'}{os.pathsep}{env.get('PATH', os.defpath)}"
    env["PYTHONUNBUFFERED"] = "1"
    env["WEBRL_DATA_DIR"] = str(DATA_DIR)
    env.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")
    if chromium:
        env["BROWSER_EXECUTABLE"] = env["WEBRL_CHROMIUM"] = chromium
    return env | more
