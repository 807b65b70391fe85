"""S5: the headers of every answer, for every role."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
from django.conf import settings

from drills.access.people import ensure_people
from drills.access.walk import walk
from drills.outcome import Outcome
from drills.web import client
from rollouts.models import Trajectory
from webrl_site.recorded.signed_addresses import sign_address

SHOWN = 5
LARGE = b"x" * 2**20
UNSAFE = ("'unsafe-eval'", "'unsafe-inline'", "'wasm-unsafe-eval'", "*", "data:")


def measure() -> Outcome:
    """Check the answers of the walk, and files, errors and the other origins."""
    answers = [
        (f"{one.role} {one.method} {one.address.pattern}", one.role, one.headers)
        for one in walk()
    ]
    answers += list(_others())
    wrong = [
        f"{name}: {text}"
        for name, role, headers in answers
        for text in find_faults(headers, is_signed_in=role not in ("nobody", "file"))
    ]
    text = f"{len(answers)} answers, {len(wrong)} faults"
    return Outcome(text, not wrong, "; ".join(wrong[:SHOWN]))


def find_faults(headers: httpx.Headers, *, is_signed_in: bool) -> list[str]:
    """Return what is wrong with an answer's headers."""
    policy = _read_policy(headers.get("Content-Security-Policy", ""))
    found = []
    if not policy:
        found.append("no content security policy")
    elif "sandbox" not in policy:
        scripts = policy.get("script-src", policy.get("default-src", ["*"]))
        if bad := sorted(set(scripts) & set(UNSAFE)):
            found.append(f"scripts may be {', '.join(bad)}")
        if "frame-ancestors" not in policy:
            found.append("may be framed")
    if headers.get("X-Content-Type-Options") != "nosniff":
        found.append("no nosniff")
    if "Referrer-Policy" not in headers:
        found.append("no Referrer-Policy")
    kept = headers.get("Cache-Control", "")
    if is_signed_in and not {"no-store", "private"} & set(kept.split(", ")):
        found.append(f"may be cached ({kept or 'nothing said'})")
    return found


def _read_policy(text: str) -> dict[str, list[str]]:
    rules = [rule.split() for rule in text.split(";") if rule.strip()]
    return {name: words for name, *words in rules}


def _others() -> Iterator[tuple[str, str, httpx.Headers]]:
    """Yield answers that no address of the resolver gives."""
    digest = Trajectory.objects.exclude(final_snapshot="")[0].final_snapshot
    paths = [
        (settings.DASHBOARD_URL, "/static/app.css"),
        (settings.DASHBOARD_URL, "/no-such-page/"),
        (settings.REPLAY_ORIGIN, f"/recorded/{digest}.html"),
        ("", sign_address(f"{digest}.html")),
        (settings.REPLAY_ORIGIN, "/"),
        (settings.TRACE_ORIGIN, "/viewer/index.html"),
        (settings.TRACE_ORIGIN, "/traces/made-up.zip"),
    ]
    for origin, path in paths:
        answer = httpx.get(origin + path, trust_env=False, timeout=30)
        yield f"{origin}{path}", "file", answer.headers
    elsewhere = {"Host": "localhost:1"}
    for method in ("GET", "POST"):
        answer = httpx.request(
            method, settings.DASHBOARD_URL, headers=elsewhere, trust_env=False
        )
        yield f"{method} to another port's name", "file", answer.headers
    answer = httpx.post(
        f"{settings.DASHBOARD_URL}/sign-in/", content=LARGE, trust_env=False
    )
    yield "a large body", "file", answer.headers
    with client(ensure_people()["researcher"]) as asking:
        answer = asking.get("/no-such-page/")
        yield "signed in: /no-such-page/", "researcher", answer.headers
