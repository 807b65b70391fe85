"""One process of the workbench: what it runs, its log, its ports and its deaths."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import LOG_DIR, ROOT
from scripts.workbench.processes.cleanup import die_with_parent, signal_group

STOP_LIMIT_S = 40.0
FIRST_PAUSE_S = 0.5
MAX_PAUSE_S = 15.0
# A child that lived this long starts again without a pause.
STEADY_S = 30.0
KEPT_LOG_BYTES = 10 * 2**20
# Exit codes of a process that was told to end.
ORDERLY = (0, -signal.SIGTERM)
BACKLOG = 128


@dataclasses.dataclass(frozen=True)
class Program:
    """One process to keep running.

    Attributes:
        name: Also the name of its log file.
        command: Program and arguments.
        is_ready: Returns whether it serves; gets what it has logged since its start.
        ends_last: Stopped after the others, which still need it to finish.
        is_wanted: Returns whether to start it; called again until it is True.
        ports: On loopback, held open for it by the supervisor: it gets the sockets as
            `--listen-on`, and clients that connect while it is replaced wait. Programs
            with the same ports share them.
        stop_limit_s: Seconds that it may take to end, before it is killed. Somewhat
            more than a worker takes to finish its step and give its work back.
        replaced: When its process ends at a restart: once the next one is ready,
            before the next one starts, or never.
    """

    name: str
    command: tuple[str, ...]
    is_ready: Callable[[str], bool]
    ends_last: bool = False
    is_wanted: Callable[[], bool] = lambda: True
    ports: tuple[int, ...] = ()
    stop_limit_s: float = STOP_LIMIT_S
    replaced: Literal["when_ready", "at_once", "never"] = "when_ready"


class Listeners:
    """Listening sockets by port, which outlive the processes that get them."""

    def __init__(self) -> None:
        self._sockets: dict[int, socket.socket] = {}

    def open(self, port: int) -> int:
        """Return the number of the port's socket."""
        if port not in self._sockets:
            self._sockets[port] = listen(port)
        return self._sockets[port].fileno()

    def close(self) -> None:
        """Close all ports."""
        for one in self._sockets.values():
            one.close()
        self._sockets = {}


class Child:
    """A program's process: the present one, and how often it has died."""

    def __init__(
        self, program: Program, env: Mapping[str, str], listeners: Listeners
    ) -> None:
        self.program, self._listeners = program, listeners
        self.is_ready = False
        self.deaths = 0
        self.log = LOG_DIR / f"{program.name}.log"
        self._env = env
        self._start_at = 0.0
        self._started = 0.0
        self._log_start = 0
        self.process: subprocess.Popen[bytes] | None = None
        # Still ends, while its successor serves.
        self.predecessor: subprocess.Popen[bytes] | None = None

    @property
    def is_awaited(self) -> bool:
        """It should serve, and does not yet."""
        return not self.is_ready and self.program.is_wanted()

    def start(self) -> None:
        self._turn_log()
        self._log_start = self.log.stat().st_size if self.log.exists() else 0
        self.is_ready = False
        numbers = [self._listeners.open(port) for port in self.program.ports]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                (*self.program.command, *list_sockets(numbers)),
                cwd=ROOT,
                env=dict(self._env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=numbers,
                preexec_fn=die_with_parent,
            )
        self._started = time.monotonic()

    def use(self, env: Mapping[str, str]) -> None:
        """Start further processes in another environment."""
        self._env = env

    def look(self) -> str:
        """Start it again if it died; return news for the terminal, or ""."""
        now = time.monotonic()
        if self.process is None:
            if now >= self._start_at and self.program.is_wanted():
                self.start()
            return ""
        code = self.process.poll()
        if code is None:
            self._cut_log()
            self.is_ready = self.is_ready or self.program.is_ready(self.new_log())
            return ""
        # Processes left in its group would hold its port or its files.
        signal_group(self.process.pid, signal.SIGKILL)
        self._start_at = now + self._pause(code, now - self._started)
        self.process = None
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{self.program.name} ended ({how}); starting it again."

    def _pause(self, code: int, lived_s: float) -> float:
        """Return the seconds to wait before it starts again."""
        if self.is_ready and code in ORDERLY:
            return 0.0
        self.deaths = 1 if lived_s > STEADY_S else self.deaths + 1
        return float(min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** (self.deaths - 1)))

    def new_log(self) -> str:
        try:
            with self.log.open("rb") as file:
                file.seek(self._log_start)
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def _turn_log(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._is_log_full():
            self.log.replace(self._earlier_log)

    def _cut_log(self) -> None:
        """Rotate a full log while its process writes it.

        The process has the file open and appends, so the file is copied and emptied; a
        line written in between is lost.
        """
        if self._is_log_full():
            shutil.copy(self.log, self._earlier_log)
            os.truncate(self.log, 0)
            self._log_start = 0

    def _is_log_full(self) -> bool:
        return self.log.exists() and self.log.stat().st_size > KEPT_LOG_BYTES

    @property
    def _earlier_log(self) -> Path:
        return self.log.with_suffix(".log.1")


def listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback.

    Raises:
        WorkbenchError: Another program listens there.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        raise WorkbenchError(f"Port {port} is taken: {error.strerror}.") from error
    listener.listen(BACKLOG)
    return listener


def list_sockets(numbers: Sequence[int]) -> tuple[str, ...]:
    """Return the arguments that name inherited sockets."""
    return ("--listen-on", *map(str, numbers)) if numbers else ()
