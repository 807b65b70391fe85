"""Websockets of the real web process, opened as a given person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth.models import User
from websockets.exceptions import (
    ConnectionClosedError,
    ConnectionClosedOK,
    InvalidStatus,
)
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from drills.web import ensure_web, open_session
from webrl_site.examples.every_page import EXAMPLES

OPEN_S = 20.0


def list_sockets() -> list[str]:
    """Return the pattern of every socket that the dashboard answers."""
    # Sets Django up again, which is harmless.
    from webrl_site.asgi import websockets

    return [str(route.pattern) for route in websockets.routes]


def fill(pattern: str) -> str:
    """Return an address of the socket, with a row that exists."""
    path = re.sub(r"<\w+:(\w+)>", lambda found: str(EXAMPLES[found[1]]()), pattern)
    return ensure_web().replace("http", "ws", 1) + "/" + path


@contextmanager
def open_socket(
    path: str, person: User | None, origin: str | None = None, *, session: str = ""
) -> Iterator[ClientConnection]:
    """Open a socket as a browser would; `session` is an existing one.

    Raises:
        InvalidStatus: It was refused.
    """
    headers = {}
    if person is not None or session:
        key = session or (open_session(person) if person else "")
        headers["Cookie"] = f"{settings.SESSION_COOKIE_NAME}={key}"
    with connect(
        path,
        origin=None if origin is None else Origin(origin),
        additional_headers=headers,
        open_timeout=OPEN_S,
        proxy=None,
    ) as found:
        yield found


def is_let_in(path: str, person: User | None, origin: str | None) -> bool:
    """Return whether the socket opens and answers, or ends because it has no more."""
    try:
        with open_socket(path, person, origin) as found:
            found.ping().wait(OPEN_S)
            return True
    except ConnectionClosedOK:
        # That of an episode that is over closes itself, perhaps before it answers.
        return True
    except (InvalidStatus, ConnectionClosedError):
        return False
