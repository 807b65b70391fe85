"""The deployment's web process, and clients that are signed in to it."""

from __future__ import annotations

import atexit
import functools
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

BACKEND = "django.contrib.auth.backends.ModelBackend"
START_S = 60.0
CSRF_TOKEN = "x" * 32
TIMEOUT_S = 60.0


@functools.cache
def ensure_web() -> str:
    """Start the web process once for this group of drills; return its address."""
    process = start_web()
    atexit.register(_end, process)
    return str(settings.DASHBOARD_URL)


def start_web() -> subprocess.Popen[bytes]:
    """Start a web process at the deployment's addresses; return when it answers."""
    command = [sys.executable, "-m", "webrl_site.server.serve"]
    for option, address in (
        ("--port", settings.DASHBOARD_URL),
        ("--replay-port", settings.REPLAY_ORIGIN),
        ("--trace-port", settings.TRACE_ORIGIN),
    ):
        command += [option, str(urlsplit(address).port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=sys.stderr)
    _wait_for(f"{settings.DASHBOARD_URL}/healthz")
    return process


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + START_S
    while True:
        with suppress(httpx.HTTPError):
            httpx.get(url, trust_env=False).raise_for_status()
            return
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
    """Yield a client of a person, or of nobody, that could pass the CSRF check."""
    with httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False) as found:
        found.cookies.set(settings.CSRF_COOKIE_NAME, CSRF_TOKEN)
        found.headers["X-CSRFToken"] = CSRF_TOKEN
        found.headers["Origin"] = settings.DASHBOARD_URL
        found.headers.update(headers)
        if person is not None:
            found.cookies.set(settings.SESSION_COOKIE_NAME, open_session(person))
        yield found


def open_session(person: User) -> str:
    """Sign a person in, as after the right password; return the session's key."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = BACKEND
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    return str(session.session_key)
