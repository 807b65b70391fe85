"""S7: secrets planted where an operator, a person and a program keep theirs.

An administrator sends GET and POST to every address of a web process that logs
everything; then every file of the deployment is searched.
"""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command

from drills.access.people import ensure_people
from drills.access.sockets import fill, list_sockets, open_socket
from drills.access.walk import LAST, fill_all
from drills.outcome import Outcome
from drills.web import client, ensure_web
from webrl_site.account.tokens import make_token

MARK = "planted-"
# The operator's secrets, by the variable that holds them.
VARIABLES = (
    *("SECRET_KEY", "METRICS_TOKEN", "GENERATOR_API_KEY", "JUDGE_API_KEY"),
    *("POLICY_API_KEY", "NOTICE_WEBHOOK_SECRET", "EMAIL_PASSWORD"),
)
# Nothing listens there: failed connections are written to logs.
NOWHERE = "http://127.0.0.1:9"
LISTEN_S = 3.0


def measure() -> Outcome:
    """Plant, use everything, and search answers, frames and files."""
    planted = plant()
    os.environ["LOG_LEVEL"] = "DEBUG"
    ensure_web()
    answers = 0
    found: set[str] = set()
    for name, data in _use_everything(planted):
        answers += 1
        found |= {f"{which} in {name}" for which in find(planted, data)}
    files = list(_read_files())
    for name, data in files:
        found |= {f"{which} in {name}" for which in find(planted, data)}
    text = (
        f"{len(planted)} secrets planted; {answers} answers and frames and "
        f"{len(files)} files searched (rows, logs, messages, support file): "
        f"{len(found)} finds"
    )
    return Outcome(text, not found and answers > 0, "; ".join(sorted(found)[:5]))


def plant() -> dict[str, str]:
    """Set the operator's secrets for the web process; return all of them by name."""
    planted = {name: MARK + secrets.token_urlsafe(40) for name in VARIABLES}
    os.environ.update(planted)
    # Sessions that this process opens must be valid in the web process.
    settings.SECRET_KEY = planted["SECRET_KEY"]
    for name in ("sign-in", "interface", "reset", "webhook", "password", "wrong"):
        planted[name] = MARK + secrets.token_urlsafe(20)
    os.environ |= _name_sites(planted) | {
        "NOTICE_WEBHOOK_URL": f"{NOWHERE}/{planted['webhook']}",
        "GENERATOR_URL": f"{NOWHERE}/v1",
        "JUDGE_URL": f"{NOWHERE}/v1",
        "POLICY_URL": f"{NOWHERE}/v1",
    }
    return planted


def _name_sites(planted: dict[str, str]) -> dict[str, str]:
    """Return the operator's documents about a site outside the sandbox."""
    fields = {"#pass": planted["sign-in"]}
    sign_in = {"path": "/in/", "fields": fields, "button": "#b", "signed_in": "#me"}
    headers = {"Authorization": planted["reset"]}
    call = {"url": f"{NOWHERE}/reset", "method": "POST", "headers": headers}
    documents = {
        "SITE_SIGN_INS": sign_in,
        "SITE_INTERFACES": {"url": NOWHERE, "token": planted["interface"]},
        "SITE_RESETS": {"call": call, "healthy": NOWHERE},
    }
    return {name: json.dumps({"shopping": one}) for name, one in documents.items()}


def find(planted: dict[str, str], data: bytes) -> list[str]:
    """Return which secrets occur in the data."""
    return [name for name, secret in planted.items() if secret.encode() in data]


def _use_everything(planted: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the web process's answers to a program and to an administrator."""
    person = ensure_people()["admin"]
    person.set_password(planted["password"])
    person.save()
    _, planted["token"] = make_token(user=person, name="d", scopes=["read"], days=1)
    with client(None) as asking:
        yield from _sign_in(asking, person, planted)
        bearer = {"Authorization": f"Bearer {planted['token']}"}
        yield "api", asking.get("/api/me/", headers=bearer).content
        bearer = {"Authorization": f"Bearer {planted['METRICS_TOKEN']}"}
        yield "metrics", asking.get("/metrics", headers=bearer).content
    # Signing in may have changed the password's digest, on which sessions depend.
    person.refresh_from_db()
    with client(person) as asking:
        asking.get("/runs/").raise_for_status()
        paths = fill_all()
        for address in sorted(paths, key=lambda one: one.key in LAST):
            for method in ("GET", "POST"):
                path = paths[address]
                yield path, asking.request(method, path).content
    yield from _listen(person)


def _sign_in(
    asking: httpx.Client, person: User, planted: dict[str, str]
) -> Iterator[tuple[str, bytes]]:
    """Try a wrong password, then the right one."""
    for name in ("wrong", "password"):
        form = {"username": person.username, "password": planted[name]}
        yield "sign-in", asking.post("/sign-in/", data=form).content


def _listen(person: User) -> Iterator[tuple[str, bytes]]:
    for pattern in list_sockets():
        person.refresh_from_db()
        with (
            open_socket(fill(pattern), person, settings.DASHBOARD_URL) as socket,
            suppress(TimeoutError),
        ):
            frame = socket.recv(LISTEN_S)
            yield pattern, frame.encode() if isinstance(frame, str) else frame


def _read_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file of the deployment, except that of the key that it keeps."""
    root = Path(settings.DATA_DIR).parent
    support = root / "support.zip"
    call_command("write_support", str(support), verbosity=0)
    with zipfile.ZipFile(support) as archive:
        for name in archive.namelist():
            yield f"support/{name}", archive.read(name)
    for path in root.rglob("*"):
        if path.is_file() and path.name != "secret_key":
            yield path.name, path.read_bytes()
