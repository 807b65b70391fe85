"""The sandbox in a process of its own, as the workbench runs it."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

LOOPBACK = "127.0.0.1"


@contextlib.contextmanager
def sandbox_process(
    *, suites: Path | None = None, start_s: float = 30.0
) -> Iterator[str]:
    """Start a sandbox and yield its control address; it ends with the block."""
    port, control_port = _free_ports()
    command = [sys.executable, "-m", "rollouts.sites.sandbox.server"]
    command += ["--port", str(port), "--control-port", str(control_port)]
    command += ["--suites", str(suites)] if suites else []
    url = f"http://{LOOPBACK}:{control_port}"
    with subprocess.Popen(command) as process:
        try:
            _wait_for(url, start_s)
            yield url
        finally:
            process.terminate()


def _free_ports() -> tuple[int, int]:
    address = (LOOPBACK, 0)
    with socket.create_server(address) as one, socket.create_server(address) as two:
        return one.getsockname()[1], two.getsockname()[1]


def _wait_for(url: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            httpx.get(f"{url}/health").raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
