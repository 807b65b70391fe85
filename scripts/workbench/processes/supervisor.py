"""Starts the processes of the workbench, keeps them alive, and ends them all."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

from scripts.workbench.commands import tail
from scripts.workbench.console import Bar, say
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.paths import LOG_DIR, ROOT
from scripts.workbench.processes.cleanup import (
    die_with_parent,
    end_all,
    find_marked,
    signal_group,
)

READY_LIMIT_S = 90.0
# Somewhat more than a worker takes to finish its step and give its work back.
STOP_LIMIT_S = 40.0
FIRST_PAUSE_S = 0.5
MAX_PAUSE_S = 15.0
# A child that lived this long starts again without a pause.
STEADY_S = 30.0
# Deaths before it was ever ready, after which starting is given up.
MAX_DEATHS = 3
KEPT_LOG_BYTES = 10 * 2**20


@dataclasses.dataclass(frozen=True)
class Program:
    """One process to keep running.

    Attributes:
        name: Also the name of its log file.
        command: Program and arguments.
        is_ready: Says whether it serves; gets what it has logged since its start.
        ends_last: Stopped after the others, which still need it to finish.
        is_wanted: Says whether to start it; asked again until it does.
    """

    name: str
    command: tuple[str, ...]
    is_ready: Callable[[str], bool]
    ends_last: bool = False
    is_wanted: Callable[[], bool] = lambda: True


class Child:
    """A program's process: the present one, and how often it has died."""

    def __init__(self, program: Program, env: Mapping[str, str]) -> None:
        self.program = program
        self.is_ready = False
        self.deaths = 0
        self.log = LOG_DIR / f"{program.name}.log"
        self._env = env
        self._start_at = 0.0
        self._started = 0.0
        self._log_start = 0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_awaited(self) -> bool:
        """It should serve, and does not yet."""
        return not self.is_ready and self.program.is_wanted()

    def start(self) -> None:
        self._turn_log()
        self._log_start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.program.command,
                cwd=ROOT,
                env=dict(self._env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        self._started = time.monotonic()

    def look(self) -> str:
        """Start it again if it died; return news for the terminal, or ""."""
        now = time.monotonic()
        if self.process is None:
            if now >= self._start_at and self.program.is_wanted():
                self.start()
            return ""
        code = self.process.poll()
        if code is None:
            self.is_ready = self.is_ready or self.program.is_ready(self.new_log())
            return ""
        # Whatever it leaves in its group would hold its port or its files.
        signal_group(self.process.pid, signal.SIGKILL)
        lived = now - self._started
        self.deaths = 1 if lived > STEADY_S else self.deaths + 1
        pause = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** (self.deaths - 1))
        self._start_at = now + pause
        self.process = None
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{self.program.name} ended ({how}); starting it again."

    def new_log(self) -> str:
        try:
            with self.log.open("rb") as file:
                file.seek(self._log_start)
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def _turn_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > KEPT_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))


class Supervisor:
    """All children together. Call `look` several times a second."""

    def __init__(
        self, programs: Sequence[Program], env: Mapping[str, str], marker: str
    ) -> None:
        """Prepare the children.

        Args:
            programs: What to run, in the order of starting.
            env: Environment of every child; must hold `marker`.
            marker: "NAME=value", by which descendants are found at the end.
        """
        LOG_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.marker = marker
        self.children = [Child(program, env) for program in programs]

    def start(self) -> None:
        for child in self.children:
            if child.program.is_wanted():
                child.start()

    def look(self) -> list[str]:
        """Restart what died; return a line per death."""
        return [news for child in self.children if (news := child.look())]

    def wait_until_ready(self, bar: Bar) -> None:
        """Look on until every child serves.

        Raises:
            WorkbenchError: One keeps dying, or does not serve within the limit.
        """
        deadline = time.monotonic() + READY_LIMIT_S
        while waiting := [child for child in self.children if child.is_awaited]:
            self.look()
            hopeless = [child for child in waiting if child.deaths >= MAX_DEATHS]
            if hopeless or time.monotonic() > deadline:
                child = (hopeless or waiting)[0]
                raise WorkbenchError(
                    f"{child.program.name} does not start. The end of {child.log}:\n"
                    f"{tail(child.log)}"
                )
            ready = len(self.children) - len(waiting)
            bar.tick(ready / len(self.children), waiting[0].program.name)
            time.sleep(0.1)

    def stop(self) -> None:
        """End everything: TERM, then KILL at the limit; twice is harmless."""
        for is_last in (False, True):
            self._stop([c for c in self.children if c.program.ends_last == is_last])
        end_all(find_marked(self.marker), limit_s=3.0)

    def _stop(self, children: Sequence[Child]) -> None:
        # Only the leaders: a worker's pool must not die under the step it saves.
        living = [child.process for child in children if child.process]
        for process in living:
            process.terminate()
        deadline = time.monotonic() + STOP_LIMIT_S
        for process in living:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                say(f"Process {process.pid} does not end by itself.")
            finally:
                signal_group(process.pid, signal.SIGKILL)
                process.wait()
        for child in children:
            child.process = None
