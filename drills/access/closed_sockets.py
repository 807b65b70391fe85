"""S14: sockets of people who have lost the right to listen."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack

from django.conf import settings
from django.contrib.auth.models import Group, User
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from curriculum.access.roles import ROLE_ANNOTATOR, ensure_roles
from drills.access.sockets import fill, open_socket
from drills.outcome import Outcome
from drills.web import client, ensure_web, open_session

MAX_S = 5.0
WAIT_S = 15.0
SOCKET = "ws/home/"


def measure() -> Outcome:
    """Revoke the right in each possible way, and wait until the socket closes."""
    ensure_web()
    ensure_roles()
    took = {name: _time(name, lose) for name, lose in WAYS.items()}
    text = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in took.items())
    return Outcome(f"closed after: {text}", max(took.values()) <= MAX_S)


def _time(name: str, lose: Callable[[User, str], None]) -> float:
    """Return the seconds from the loss of the right until the socket closes."""
    person = User.objects.create_user(f"listener-{name.replace(' ', '-')}")
    person.groups.add(Group.objects.get(name=ROLE_ANNOTATOR))
    session = open_session(person)
    with ExitStack() as stack:
        socket = stack.enter_context(
            open_socket(fill(SOCKET), None, settings.DASHBOARD_URL, session=session)
        )
        socket.recv(WAIT_S)
        lose(person, session)
        began = time.monotonic()
        _wait_for_end(socket)
        return time.monotonic() - began


def _wait_for_end(socket: ClientConnection) -> None:
    deadline = time.monotonic() + WAIT_S
    try:
        while time.monotonic() < deadline:
            socket.recv(max(0.1, deadline - time.monotonic()))
    except (ConnectionClosed, TimeoutError):
        return


def _sign_out(person: User, session: str) -> None:
    with client(None) as asking:
        asking.cookies.set(settings.SESSION_COOKIE_NAME, session)
        asking.post("/sign-out/")


def _lose_role(person: User, session: str) -> None:
    person.groups.clear()


def _deactivate(person: User, session: str) -> None:
    User.objects.filter(pk=person.pk).update(is_active=False)


def _change_password(person: User, session: str) -> None:
    person.set_password(secrets.token_urlsafe(20))
    person.save(update_fields=["password"])


WAYS: dict[str, Callable[[User, str], None]] = {
    "sign-out": _sign_out,
    "loss of the role": _lose_role,
    "deactivation": _deactivate,
    "another password": _change_password,
}
