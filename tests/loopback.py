"""A web server on loopback whose answers a test scripts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, str]
# Given the method, the path with its query, and the headers.
Respond = Callable[[str, str, dict[str, str]], Answer]


@contextmanager
def serving(respond: Respond) -> Iterator[str]:
    """Serve until the block ends; gives the address without a trailing slash."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            headers = dict(self.headers.items())
            status, text = respond(self.command, self.path, headers)
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = _answer

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
