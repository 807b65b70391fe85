"""A server on this machine that records every request it receives."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Canary(ThreadingHTTPServer):
    """Counts hits by path; answers with a status and, if wanted, a redirect."""

    daemon_threads = True

    def __init__(self, status: int = 200, location: str = "", body: bytes = b"{}"):
        self.hits: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.status, self.location, self.body = status, location, body
        # All addresses of this machine, also those of IPv6.
        self.address_family = socket.AF_INET6
        super().__init__(("::", 0), _Handler)

    def server_bind(self) -> None:
        """Listen on IPv4 too."""
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    server: Canary

    def _answer(self) -> None:
        self.server.hits.append(f"{self.headers['Host']}{self.path}")
        self.server.headers.append(dict(self.headers))
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    do_GET = do_POST = do_PUT = do_HEAD = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def canary(
    status: int = 200, location: str = "", body: bytes = b"{}"
) -> Iterator[Canary]:
    """Run a canary for the duration of the block."""
    found = Canary(status, location, body)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.shutdown()
        thread.join()
        found.server_close()
