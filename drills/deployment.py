"""A deployment for one group of drills: folder, database, ports, and their end."""

from __future__ import annotations

import dataclasses
import os
import secrets
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from scripts.workbench.paths import ROOT
from scripts.workbench.processes import children, stack
from scripts.workbench.processes.cleanup import end_marked, free_port

# Only these variables are inherited: settings of the real deployment do not apply.
KEPT = ("PATH", "HOME", "LANG", "WEBRL_CHROMIUM", "PYTHONPATH")
# The operator's settings for drills.
GIVEN = (
    *("ADVISORIES_FILE", "DRILL_MINUTES", "DRILL_PHASE", "DRILL_POINTS"),
    "WEB_PROCESSES",
)
END_LIMIT_S = 5.0
TEMPORARY = "tmp"
# The empty SQLite database, once it has been made.
MIGRATED: list[bytes] = []


class DeploymentError(RuntimeError):
    """The deployment could not be prepared."""


@dataclasses.dataclass(frozen=True, slots=True)
class Deployment:
    """Where a group of drills works.

    Attributes:
        folder: Everything that it writes is here.
        env: The settings of all its processes.
    """

    folder: Path
    env: dict[str, str]

    def end_processes(self) -> None:
        """End all processes that were started with these settings, directly or not."""
        marker = f"{stack.MARKER_NAME}={self.env[stack.MARKER_NAME]}"
        end_marked(marker, END_LIMIT_S)


@contextmanager
def open_deployment(
    folder: Path, profile: str, addresses: dict[str, str]
) -> Iterator[Deployment]:
    """Prepare a deployment; end all its processes and drop its database afterwards.

    Raises:
        DeploymentError: The database could not be prepared.
    """
    name, _, value = stack.new_marker().partition("=")
    env = _environment(folder) | {name: value, "DRILL_PROFILE": profile}
    with _database(addresses) as found:
        place = Deployment(folder, env | found)
        try:
            _prepare(place)
            yield place
        finally:
            place.end_processes()


def _environment(folder: Path) -> dict[str, str]:
    ports: list[int] = []
    for _ in range(4):
        ports.append(free_port(avoid=ports))
    own = {name: os.environ[name] for name in (*KEPT, *GIVEN) if name in os.environ}
    return {
        **own,
        # Leftovers of killed processes are removed with the folder.
        "TMPDIR": str(folder / TEMPORARY),
        **children.CALM,
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "webrl_site.settings",
        "WEBRL_DATA_DIR": str(folder / "data"),
        "DASHBOARD_URL": f"http://localhost:{ports[0]}",
        "REPLAY_ORIGIN": f"http://127.0.0.1:{ports[1]}",
        "TRACE_ORIGIN": f"http://127.0.0.1:{ports[2]}",
        "SANDBOX_CONTROL_URL": f"http://127.0.0.1:{ports[3]}",
        "LOG_LEVEL": "ERROR",
    }


@contextmanager
def _database(addresses: dict[str, str]) -> Iterator[dict[str, str]]:
    """Return settings of a new database and an empty broker on the servers."""
    if not addresses:
        yield {}
        return
    # Installed with the project; the list of bars must work without it.
    import psycopg
    import redis

    for name in ("BROKER_URL", "CHANNEL_URL"):
        redis.from_url(addresses[name]).flushdb()
    server = addresses["DATABASE_URL"]
    name = f"drill_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield addresses | {"DATABASE_URL": f"{server.rpartition('/')[0]}/{name}"}
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _prepare(place: Deployment) -> None:
    """Give the deployment its tables: SQLite's file is made once and then copied."""
    (place.folder / TEMPORARY).mkdir(mode=0o700)
    if "DATABASE_URL" in place.env:
        _migrate(place)
        return
    file = Path(place.env["WEBRL_DATA_DIR"]) / "webrl.sqlite3"
    if MIGRATED:
        file.parent.mkdir(mode=0o700)
        file.write_bytes(MIGRATED[0])
    else:
        _migrate(place)
        with closing(sqlite3.connect(file)) as database:
            MIGRATED.append(database.serialize())


def _migrate(place: Deployment) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"],
        cwd=ROOT,
        env=place.env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise DeploymentError(done.stderr[-600:])
