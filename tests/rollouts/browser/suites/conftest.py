"""The published pages, fetched once for all tests by the function that people use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rollouts.sites.sandbox.background import Sandbox, running_sandbox
from scripts.workbench.install.site import MINIWOB
from scripts.workbench.install.wheel import fetch


@pytest.fixture(scope="session")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    fetch(MINIWOB, folder / MINIWOB.key, sys.executable)
    return folder


@pytest.fixture(scope="session")
def sandbox(suites: Path) -> Iterator[Sandbox]:
    with running_sandbox(suites) as running:
        yield running
