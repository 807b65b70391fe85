"""A model's endpoint that randomly limits, fails, hangs or answers nonsense."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Shares of the answers.
LIMITED, FAILING, SILENT, BABBLING = 0.20, 0.10, 0.05, 0.05
RETRY_AFTER_S, TIMEOUT_S = 1, 1.0
COMPLETION = {"choices": [{"message": {"content": 'do(action="Click", element="1")'}}]}


@dataclasses.dataclass(slots=True)
class Script:
    """What the endpoint did. `early` counts requests before Retry-After had passed."""

    draw: random.Random
    answers: Counter[str] = dataclasses.field(default_factory=Counter)
    early: int = 0
    held_until: dict[str, float] = dataclasses.field(default_factory=dict)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def choose(self, body: bytes) -> str:
        """Record a request; return how it is answered."""
        key = hashlib.sha256(body).hexdigest()
        now = time.monotonic()
        with self.lock:
            self.early += now < self.held_until.get(key, 0.0)
            kind = self._draw()
            self.answers[kind] += 1
            if kind == "limited":
                self.held_until[key] = now + RETRY_AFTER_S
        return kind

    def _draw(self) -> str:
        kinds = ("limited", "failing", "silent", "babbling", "good")
        faults = (LIMITED, FAILING, SILENT, BABBLING)
        return self.draw.choices(kinds, [*faults, 1 - sum(faults)])[0]


class Endpoint(ThreadingHTTPServer):
    """Answers by the script; `script` is set by the code that opens it."""

    daemon_threads = True
    script: Script


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.server.script.choose(body)
        if kind == "silent":
            time.sleep(2 * TIMEOUT_S)
        status = {"limited": 429, "failing": 500}.get(kind, 200)
        text = json.dumps(COMPLETION) if kind == "good" else "<html>busy</html>"
        try:
            self._send(status, text.encode())
        except OSError:
            return

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", str(RETRY_AFTER_S))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def open_endpoint() -> Iterator[Endpoint]:
    endpoint = Endpoint(("127.0.0.1", 0), _Handler)
    endpoint.script = Script(random.Random(12))
    thread = threading.Thread(target=endpoint.serve_forever, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.shutdown()
        thread.join()
        endpoint.server_close()
