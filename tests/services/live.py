"""A workbench that really runs: own database, own broker, supervised workers."""

from __future__ import annotations

import dataclasses
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from scripts.workbench.paths import ROOT
from scripts.workbench.processes import stack
from scripts.workbench.processes.child import Program
from scripts.workbench.processes.supervisor import Supervisor

LIMIT_S = 90.0
WORKERS = ("worker-rollouts", "worker-training", "worker-loop", "worker-sites", "beat")


class LiveWorkbench:
    """Runs workers and beat over one environment, and looks into its database."""

    def __init__(self, env: dict[str, str], workers: Sequence[str] = WORKERS) -> None:
        name, _, value = (marker := stack.new_marker()).partition("=")
        self.env = env | {name: value}
        addresses = stack.choose_addresses()
        programs = [p for p in stack.programs(addresses) if p.name in workers]
        self.supervisor = Supervisor(
            [with_our_python(program) for program in programs], self.env, marker
        )

    def python(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        url = self.env["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
                return database.execute(query).fetchall()
        with psycopg.connect(url) as server:
            return server.execute(query).fetchall()

    def wait_for(
        self, what: str, condition: Callable[[], object], limit_s: float = LIMIT_S
    ) -> None:
        deadline = time.monotonic() + limit_s
        while not condition():
            self.supervisor.look()
            failed = self.rows("SELECT id FROM curriculum_phase WHERE status='failed'")
            hopeless = failed or time.monotonic() > deadline
            assert not hopeless, f"never: {what}\n{self.describe()}"
            time.sleep(0.02)

    def kill(self, worker: str) -> None:
        """KILL a worker's process."""
        child = next(c for c in self.supervisor.children if c.program.name == worker)
        assert child.process is not None
        os.kill(child.process.pid, signal.SIGKILL)

    def describe(self) -> str:
        phases = self.rows("SELECT status, failure_reason FROM curriculum_phase")
        logs = [child.log.read_text()[-2000:] for child in self.supervisor.children]
        return "\n".join([str(phases), *logs])


def with_our_python(program: Program) -> Program:
    command = (sys.executable, *program.command[1:])
    return dataclasses.replace(program, command=command)


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """Create a database on a PostgreSQL server; drop it afterwards."""
    name = f"webrl_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield server.rpartition("/")[0] + f"/{name}"
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
