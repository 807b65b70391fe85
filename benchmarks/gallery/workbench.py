"""A dashboard over made-up rows, without workers, for the duration of a block."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import ROOT

PASSWORD = "only for the pictures"  # noqa: S105 - of a workbench that runs for minutes
START_S = 60


@contextmanager
def made_up_workbench(data: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the dashboard's address and the path of each page by name."""
    port, replay_port = _free_ports(2)
    url = f"http://localhost:{port}"
    env = {
        **os.environ,
        "WEBRL_DATA_DIR": str(data),
        "DASHBOARD_URL": url,
        "REPLAY_ORIGIN": f"http://127.0.0.1:{replay_port}",
    }
    for name in ("DATABASE_URL", "BROKER_URL", "CHANNEL_URL"):
        env.pop(name, None)
    _manage(env, "migrate", "--verbosity", "0")
    _manage(env, "seed_examples", "--scale", "small")
    _manage(env, "create_demo_accounts", "--password", PASSWORD)
    pages = json.loads(_manage(env, "list_pages", "--states"))
    ports = ("--port", str(port), "--replay-port", str(replay_port))
    process = subprocess.Popen(
        [sys.executable, "-m", "webrl_site.server.serve", *ports], cwd=ROOT, env=env
    )
    try:
        _wait_for(f"{url}/sign-in/", process)
        yield url, pages
    finally:
        process.terminate()
        process.wait(timeout=20)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _manage(env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkbenchError(f"manage.py {arguments[0]} failed.\n{done.stdout}")
    return done.stdout


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own http
                return
        except OSError:
            time.sleep(0.1)
    raise WorkbenchError("The dashboard did not start.")
