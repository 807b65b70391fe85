"""`./webrl docs`: the docs as pages, which the dashboard shows under Help."""

from __future__ import annotations

import os

from scripts.workbench.commands import pass_on, run
from scripts.workbench.console import say
from scripts.workbench.install import chromium, venv
from scripts.workbench.paths import DATA_DIR, PYTHON, ROOT
from scripts.workbench.processes import children

SITE = DATA_DIR / "docs"
MKDOCS = (str(PYTHON), "-m", "mkdocs")


def docs(*, port: int | None = None, pictures: bool = False) -> int:
    """Take new pictures if asked, build the pages, and serve them if there is a port.

    Raises:
        WorkbenchError: A page leads nowhere, or cannot be read.
    """
    venv.ensure(dev=True)
    if pictures and (failed := take_pictures()):
        return failed
    # With --quiet mkdocs does not count warnings, and a strict build cannot fail.
    build = [*MKDOCS, "build", "--strict", "--site-dir", str(SITE)]
    run("Building the docs", build, expected_s=3, key="docs")
    say(f"The docs are in {SITE}/index.html, and on the dashboard under Help.")
    return serve(port) if port else 0


def take_pictures() -> int:
    """Let the browser tests write docs/images; return their exit code."""
    env = children.environment(chromium.ensure())
    for name in ("DJANGO_SETTINGS_MODULE", "WEBRL_DATA_DIR"):
        env.pop(name, None)
    env["DOCS_PICTURES"] = str(ROOT / "docs" / "images")
    tests = ("-m", "pytest", "-q", "-m", "browser", "tests/browser/test_pictures.py")
    return pass_on([str(PYTHON), *tests], env=env)


def serve(port: int) -> int:
    """Serve the pages, rebuilt after each change, until Ctrl-C."""
    command = [*MKDOCS, "serve", "--strict", "--dev-addr", f"localhost:{port}"]
    return pass_on(command, env=os.environ)
