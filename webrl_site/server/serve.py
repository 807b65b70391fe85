"""The web process: one application behind two sockets, or three with traces.

The dashboard, the recorded pages and the traces are different origins, so that a
recorded page can never read the dashboard's cookies. All are the same application;
middlewares decide by the host and port of the request what is served.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from pathlib import Path

import uvicorn
from django.conf import settings
from uvicorn.config import LOGGING_CONFIG

from webrl_site.server.gc_freeze import freeze_start

# Open sockets of live pages are closed after this many seconds.
GRACE_S = 3
MAX_SOCKET_BYTES = 4096
# On standard output at the moment from which requests are answered.
SERVING = "The web process serves."


class Server(uvicorn.Server):
    """Prints when it serves: a socket held open by others accepts before that."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Load the application, listen, and print a line."""
        await super().startup(sockets=sockets)
        is_json = settings.LOG_FORMAT == "JSON"
        sys.stdout.write(f'{{"message": "{SERVING}"}}\n' if is_json else f"{SERVING}\n")
        sys.stdout.flush()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(128)
    listener.set_inheritable(True)
    return listener


def open_sockets(given: argparse.Namespace) -> list[socket.socket]:
    """Return the inherited sockets, or else new ones at the ports."""
    if given.listen_on:
        return [socket.socket(fileno=number) for number in given.listen_on]
    ports = [given.port, given.replay_port]
    ports += [given.trace_port] if given.trace_port else []
    return [listen(given.host, port) for port in ports]


def share_metrics(folder: Path) -> None:
    """Let `/metrics` of any web process report the counts of all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    # Before the application is loaded: `prometheus_client` reads it at its import.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def configure() -> uvicorn.Config:
    """Return how the application is served."""
    return uvicorn.Config(
        "webrl_site.asgi:application",
        log_level="info",
        # Through our own handler where programs read the lines.
        log_config=None if settings.LOG_FORMAT == "JSON" else LOGGING_CONFIG,
        access_log=False,
        server_header=False,
        # Without our own proxy a client could forge its address.
        proxy_headers=settings.BEHIND_PROXY,
        # Pages send nothing over their sockets.
        ws_max_size=MAX_SOCKET_BYTES,
        timeout_graceful_shutdown=GRACE_S,
    )


def main() -> None:
    """Serve until TERM or Ctrl-C."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="the dashboard")
    parser.add_argument("--replay-port", type=int, default=8001, help="recorded pages")
    parser.add_argument("--trace-port", type=int, help="traces; else not served")
    parser.add_argument(
        "--listen-on",
        nargs="+",
        type=int,
        metavar="FD",
        help="listening sockets that are open already, in place of host and ports",
    )
    sockets = open_sockets(parser.parse_args())
    if settings.WEB_PROCESSES > 1:
        share_metrics(settings.DATA_DIR / "run" / "metrics")
    config = configure()
    config.load()
    freeze_start()
    Server(config).run(sockets=sockets)


if __name__ == "__main__":
    main()
