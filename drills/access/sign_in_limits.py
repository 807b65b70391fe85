"""S9: a thousand guesses, many at once, and what the time of an answer reveals."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter

import httpx
from django.conf import settings
from django.contrib.auth.models import User

from drills.outcome import Outcome
from drills.web import CSRF_TOKEN, ensure_web

GUESSES, AT_ONCE = 1000, 100
MAX_TRIED = 10
# For one guess; its wait for a free connection does not count.
TIMEOUT_S = 120.0
ACCOUNTS = 10
MAX_DIFFERENCE = 0.10
# Counts are per minute; the guesses fit into one minute unless the machine is busy.
LAST_SECOND = 25


def measure() -> Outcome:
    """Guess one account's password; then compare known and unknown names."""
    ensure_web()
    password = secrets.token_urlsafe(20)
    User.objects.create_user("guessed", password=password)
    _wait_for_minute()
    began = _minute()
    codes = asyncio.run(_guess_all())
    minutes = _minute() - began + 1
    tried = codes[200]
    held_off = _post("guessed", password).status_code == 429
    known, unknown = _time_names(password)
    difference = abs(known - unknown) / max(known, unknown)
    text = (
        f"{tried} of {GUESSES} tried in {minutes} min, {codes[429]} told to wait, "
        f"{_others(codes)} other answers; then the right password waits too: "
        f"{held_off}; fastest answer {known * 1000:.0f} ms for known and "
        f"{unknown * 1000:.0f} ms for unknown names ({difference:.1%} apart)"
    )
    ok = tried <= MAX_TRIED * minutes and not _others(codes) and held_off
    return Outcome(text, ok and difference <= MAX_DIFFERENCE)


def _others(codes: Counter[int]) -> int:
    return codes.total() - codes[200] - codes[429]


def _minute() -> int:
    return int(time.time()) // 60


def _wait_for_minute() -> None:
    second = time.time() % 60
    if second > LAST_SECOND:
        time.sleep(60.5 - second)


async def _guess_all() -> Counter[int]:
    # No connection is used twice: the server may close an idle one during its reuse.
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
    async with httpx.AsyncClient(
        base_url=settings.DASHBOARD_URL,
        limits=limits,
        timeout=httpx.Timeout(TIMEOUT_S, pool=None),
        trust_env=False,
    ) as asking:
        _prepare(asking)
        answers = await asyncio.gather(
            *(asking.post("/sign-in/", data=_form("guessed")) for _ in range(GUESSES))
        )
    return Counter(answer.status_code for answer in answers)


def _form(name: str, password: str = "") -> dict[str, str]:
    return {"username": name, "password": password or secrets.token_hex(8)}


def _prepare(asking: httpx.Client | httpx.AsyncClient) -> None:
    asking.cookies.set(settings.CSRF_COOKIE_NAME, CSRF_TOKEN)
    asking.headers["X-CSRFToken"] = CSRF_TOKEN
    asking.headers["Origin"] = settings.DASHBOARD_URL


def _post(name: str, password: str = "", source: str = "") -> httpx.Response:
    """Post the form from one of this machine's addresses, by default the usual one."""
    transport = httpx.HTTPTransport(local_address=source or None)
    with httpx.Client(
        base_url=settings.DASHBOARD_URL, transport=transport, timeout=60
    ) as asking:
        _prepare(asking)
        return asking.post("/sign-in/", data=_form(name, password))


def _time_names(password: str) -> tuple[float, float]:
    """Return the fastest refusal of known and of unknown names, in seconds."""
    for number in range(ACCOUNTS):
        User.objects.create_user(f"known-{number}", password=password)
    times: dict[str, list[float]] = {"known": [], "unknown": []}
    for number in range(ACCOUNTS):
        for kind, found in times.items():
            began = time.perf_counter()
            answer = _post(f"{kind}-{number}", source=f"127.0.{len(kind)}.{number + 1}")
            found.append(time.perf_counter() - began)
            if answer.status_code != 200:
                raise RuntimeError(f"A first try was answered {answer.status_code}.")
    return min(times["known"]), min(times["unknown"])
