"""The shop itself, added once for all tests by the function that people use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rollouts.sites.sandbox.background import Sandbox, running_sandbox
from scripts.workbench import commands
from scripts.workbench.install import oscar


@pytest.fixture(scope="session")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "LOG_DIR", folder / "log")
        oscar.ensure(folder / oscar.NAME, pip_python=sys.executable)
    return folder


@pytest.fixture(scope="session")
def sandbox(suites: Path) -> Iterator[Sandbox]:
    with oscar.running_shop(suites / oscar.NAME), running_sandbox(suites) as running:
        yield running
