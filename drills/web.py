"""The deployment's web process, and clients that are signed in to it."""

from __future__ import annotations

import atexit
import functools
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User

from scripts.workbench.paths import ROOT
from webrl_site.server.serve import listen

BACKEND = "django.contrib.auth.backends.ModelBackend"
START_S = 60.0
CSRF_TOKEN = "x" * 32
SERVE = (sys.executable, "-m", "webrl_site.server.serve")
TIMEOUT_S = 60.0


@functools.cache
def ensure_web() -> str:
    """Start the web processes once for this group of drills; return their address."""
    ports = [_port_of(address) for address in _list_addresses()]
    listeners = [listen("127.0.0.1", port) for port in ports]
    numbers = [one.fileno() for one in listeners]
    for _ in range(settings.WEB_PROCESSES):
        process = subprocess.Popen(
            [*SERVE, "--listen-on", *map(str, numbers)],
            cwd=ROOT,
            stdout=sys.stderr,
            pass_fds=numbers,
        )
        atexit.register(_end, process)
    for one in listeners:
        one.close()
    return _wait_for_dashboard()


def start_web() -> subprocess.Popen[bytes]:
    """Start one web process at the deployment's addresses; return when it answers."""
    ports = (str(_port_of(address)) for address in _list_addresses())
    options = ("--port", "--replay-port", "--trace-port")
    pairs = itertools.chain.from_iterable(zip(options, ports, strict=True))
    process = subprocess.Popen([*SERVE, *pairs], cwd=ROOT, stdout=sys.stderr)
    _wait_for_dashboard()
    return process


def _list_addresses() -> list[str]:
    return [settings.DASHBOARD_URL, settings.REPLAY_ORIGIN, settings.TRACE_ORIGIN]


def _port_of(address: str) -> int:
    return urlsplit(address).port or 0


def _wait_for_dashboard() -> str:
    url, deadline = str(settings.DASHBOARD_URL), time.monotonic() + START_S
    while True:
        with suppress(httpx.HTTPError):
            httpx.get(f"{url}/healthz", trust_env=False).raise_for_status()
            return url
        if time.monotonic() > deadline:
            raise TimeoutError("The dashboard did not start.")
        time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(10)
    process.kill()


@contextmanager
def client(person: User | None, **headers: str) -> Iterator[httpx.Client]:
    """Yield a client of the group's web process; see `connect`."""
    with connect(ensure_web(), person, **headers) as found:
        yield found


@contextmanager
def connect(url: str, person: User | None, **headers: str) -> Iterator[httpx.Client]:
    """Yield a client of a person, or an anonymous one, that passes the CSRF check."""
    with httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False) as found:
        found.cookies.set(settings.CSRF_COOKIE_NAME, CSRF_TOKEN)
        found.headers["X-CSRFToken"] = CSRF_TOKEN
        found.headers["Origin"] = settings.DASHBOARD_URL
        found.headers.update(headers)
        if person is not None:
            found.cookies.set(settings.SESSION_COOKIE_NAME, open_session(person))
        yield found


def open_session(person: User) -> str:
    """Sign a person in without the password; return the session's key."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = BACKEND
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    return str(session.session_key)
