"""What `/metrics` tells where several web processes answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from webrl_site.metrics.http_times import SHARED_FOLDER

COUNT = """
from webrl_site.metrics.http_times import SECONDS
SECONDS.labels("GET", "review/", 200).observe(0.1)
"""
TELL = """
from prometheus_client import generate_latest
from webrl_site.metrics.http_times import REGISTRY
print(generate_latest(REGISTRY).decode())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def run(code: str, **variables: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_any_process_tells_what_all_have_counted(folder):
    shared = {SHARED_FOLDER: str(folder)}
    run(COUNT, **shared)
    run(COUNT, **shared)
    [line] = [x for x in run(COUNT + TELL, **shared).splitlines() if "_count{" in x]
    assert line.endswith(" 3.0")


def test_one_process_tells_its_own_and_what_it_uses():
    found = run(COUNT + TELL)
    assert "process_resident_memory_bytes" in found
    assert 'webrl_http_request_seconds_count{method="GET"' in found
