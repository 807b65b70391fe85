"""Starts the processes of the workbench, keeps them alive, and ends them all."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from scripts.workbench.commands import tail
from scripts.workbench.console import Bar, say
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.processes.child import Child, Listeners, Program
from scripts.workbench.processes.cleanup import end_all, find_marked, signal_group

READY_LIMIT_S = 90.0
# Deaths before it was ever ready, after which it is not started again.
MAX_DEATHS = 3
LOOK_EVERY_S = 0.1


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
        self.marker = marker
        self._listeners = Listeners()
        self.children = [Child(one, env, self._listeners) for one in programs]

    def start(self) -> None:
        for child in self.children:
            if child.program.is_wanted():
                child.start()

    def look(self) -> list[str]:
        """Restart what died; return a line per death."""
        return [news for child in self.children if (news := child.look())]

    def wait_until_ready(self, bar: Bar) -> None:
        """Wait until every child serves.

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
            time.sleep(LOOK_EVERY_S)

    def replace(self, env: Mapping[str, str] | None = None) -> list[str]:
        """Replace processes one by one; return one line for each failure.

        Args:
            env: Environment of the new ones, with the marker; None: the old one.
        """
        news = []
        for child in self.children:
            if child.program.replaced == "never":
                continue
            if env is not None:
                child.use(env)
            is_missing = child.process is None
            if is_missing and not child.program.is_wanted():
                continue
            if not self._renew(child):
                news.append(
                    f"{child.program.name}: the new process does not start; "
                    f"{child.log} says why."
                )
        return news

    def _renew(self, child: Child) -> bool:
        """Start a new process; return whether it serves."""
        if child.process is not None and child.program.replaced == "when_ready":
            return self._succeed(child)
        if child.process is not None:
            self._end((child.process, child.program.stop_limit_s))
        # Not counted as a death; one that pauses after its death starts now.
        child.start()
        return self._wait_for(child)

    def _succeed(self, child: Child) -> bool:
        """Start a successor and end its predecessor; keep that one if it fails."""
        child.predecessor = child.process
        child.start()
        is_ready = self._wait_for(child)
        if not is_ready:
            child.process, child.predecessor = child.predecessor, child.process
            child.is_ready = True
        self._retire(child)
        return is_ready

    def _retire(self, child: Child) -> None:
        """End the predecessor, and wait until it has given its work back."""
        if (old := child.predecessor) is None:
            return
        old.terminate()
        deadline = time.monotonic() + child.program.stop_limit_s
        while old.poll() is None and time.monotonic() < deadline:
            self.look()
            time.sleep(LOOK_EVERY_S)
        signal_group(old.pid, signal.SIGKILL)
        old.wait()
        child.predecessor = None

    def _wait_for(self, child: Child) -> bool:
        """Wait until the child serves; return whether it does within the limit."""
        deadline = time.monotonic() + READY_LIMIT_S
        while not child.is_ready and child.process and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)
            self.look()
        return child.is_ready

    def stop(self) -> None:
        """End everything: TERM, then KILL at the limit; safe to call twice."""
        for is_last in (False, True):
            self._stop([c for c in self.children if c.program.ends_last == is_last])
        self._listeners.close()
        end_all(find_marked(self.marker), limit_s=3.0)

    def _stop(self, children: Sequence[Child]) -> None:
        # Only the leaders: a worker's pool must not die while it saves its step.
        self._end(
            *(
                (process, child.program.stop_limit_s)
                for child in children
                for process in (child.process, child.predecessor)
                if process
            )
        )
        for child in children:
            child.process = child.predecessor = None

    def _end(self, *living: tuple[subprocess.Popen[bytes], float]) -> None:
        """End processes; each has so many seconds to do so by itself."""
        for process, _ in living:
            process.terminate()
        began = time.monotonic()
        for process, limit_s in living:
            try:
                process.wait(max(0.1, began + limit_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                say(f"Process {process.pid} does not end by itself.")
            finally:
                signal_group(process.pid, signal.SIGKILL)
                process.wait()
