"""A relay in front of the web process whose connections can be cut at any moment."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 65_536
# The first bytes that a page of the dashboard sends to open a socket.
SOCKET_PATH = b"GET /ws/"
# Closing with this option sends RST, as a failing machine in between does.
RESET = struct.pack("ii", 1, 0)


class Relay:
    """Passes bytes on; remembers which connections are websockets."""

    def __init__(self, target: int, host: str = "127.0.0.1") -> None:
        """`target` is a port of this machine; `host` is where the relay listens."""
        self._target = target
        self._server = socket.create_server((host, 0))
        self.port = int(self._server.getsockname()[1])
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()

    def run(self) -> None:
        """Accept until `close`."""
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def cut(self) -> int:
        """Cut every open websocket; return how many there were."""
        with self._lock:
            found = list(self._sockets)
            self._sockets.clear()
        for one in found:
            _reset(one)
        return len(found)

    def close(self) -> None:
        """Accept no more."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self, near: socket.socket) -> None:
        with suppress(OSError), near:
            head = near.recv(CHUNK)
            with socket.create_connection(("127.0.0.1", self._target)) as far:
                far.sendall(head)
                if head.startswith(SOCKET_PATH):
                    with self._lock:
                        self._sockets.add(near)
                back = threading.Thread(target=_pass_on, args=(far, near), daemon=True)
                back.start()
                _pass_on(near, far)
                back.join()
        with self._lock:
            self._sockets.discard(near)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def _reset(one: socket.socket) -> None:
    with suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        one.shutdown(socket.SHUT_RDWR)


@contextmanager
def open_relay(target: int, host: str = "127.0.0.1") -> Iterator[Relay]:
    """Run a relay for the duration of the block."""
    relay = Relay(target, host)
    threading.Thread(target=relay.run, daemon=True).start()
    try:
        yield relay
    finally:
        relay.close()
