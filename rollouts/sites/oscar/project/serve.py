"""The shop's process: `python -m rollouts.sites.oscar.project.serve FOLDER`.

It listens on a socket in the folder, which no browser can reach: the sandbox passes
requests on. It has no state of its own, so it can be killed and restarted.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path
from socketserver import BaseServer
from typing import TYPE_CHECKING

from rollouts.sites.oscar.copies import Copies
from rollouts.sites.oscar.names import HEADER, SOCKET
from rollouts.sites.oscar.project.start import set_up

if TYPE_CHECKING:
    from django.core.handlers.wsgi import WSGIHandler

# Pages whose request loads the templates and opens the index before the first episode.
WARM_UP_PATHS = ("/catalogue/", "/search/?q=quiet", "/basket/", "/accounts/orders/")


def build_server(folder: Path, application: WSGIHandler) -> BaseServer:
    """A server on the folder's socket, with a thread for each connection."""
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

    class Handler(WSGIRequestHandler):
        def address_string(self) -> str:
            return "sandbox"  # a socket's other end has no name

        def log_message(self, format: str, *args: object) -> None:
            """Do not log single requests; tracebacks are logged."""

    class Server(ThreadedWSGIServer):
        address_family = socket.AF_UNIX
        request_queue_size = 128

        def server_bind(self) -> None:
            self.socket.bind(self.server_address)
            self.server_name, self.server_port = "localhost", 0
            self.setup_environ()

        def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
            request, _ = self.socket.accept()
            return request, ("127.0.0.1", 0)

    path = folder / SOCKET
    if _answers(path):
        sys.exit(f"Another process serves {folder} already.")
    path.unlink(missing_ok=True)
    server = Server(str(path), Handler)
    server.set_app(application)
    return server


def _answers(path: Path) -> bool:
    """Whether a process listens; a dead one leaves a socket without a listener."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def warm_up(folder: Path) -> None:
    """Request a few pages in an episode of our own."""
    from django.test import Client

    copy = Copies(folder).open()
    client = Client(headers={HEADER: copy.name, "host": "shop.localhost"})
    for path in WARM_UP_PATHS:
        answer = client.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answers {answer.status_code}")
    copy.close()


def main() -> None:
    """Serve until TERM."""
    folder = Path(sys.argv[1]).absolute()
    os.umask(0o077)
    set_up(folder)
    from django.core.handlers.wsgi import WSGIHandler

    application = WSGIHandler()
    warm_up(folder)
    server = build_server(folder, application)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    print("ready", flush=True)  # noqa: T201 (read by whoever started it)
    server.serve_forever()


if __name__ == "__main__":
    main()
