"""The sandbox in a thread of this process, on free ports: for tests and checks."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from rollouts.sites.sandbox.server import LOOPBACK, build_listeners


@dataclasses.dataclass(frozen=True, slots=True)
class Sandbox:
    """Where a running sandbox listens."""

    port: int
    control_url: str


@contextlib.contextmanager
def running_sandbox(suites: Path | None = None) -> Iterator[Sandbox]:
    """A sandbox that ends with the block; `suites` holds published sites."""
    sockets = [_free_socket(), _free_socket()]
    port, control_port = (s.getsockname()[1] for s in sockets)
    listeners = build_listeners(port, control_port, suites=suites)

    async def serve() -> None:
        pairs = zip(listeners, sockets, strict=True)
        await asyncio.gather(*(one.serve(sockets=[s]) for one, s in pairs))

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    try:
        yield Sandbox(port, f"http://{LOOPBACK}:{control_port}")
    finally:
        for listener in listeners:
            listener.should_exit = True
        thread.join(10)


def _free_socket() -> socket.socket:
    """A bound and listening socket, so that early calls wait instead of failing."""
    # asyncio sends small answers at once only where the protocol is named; otherwise
    # each waits 40 ms for the other side's acknowledgement.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.bind((LOOPBACK, 0))
    found.listen(128)
    return found
