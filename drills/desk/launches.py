"""R13: two researchers launch the same run's next phase, fifty times each, at once."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter

import httpx
from django.conf import settings

from curriculum.models import Phase
from drills.access.people import ensure_people
from drills.desk.runs import make_run
from drills.outcome import Outcome
from drills.web import CSRF_TOKEN, ensure_web, open_session

TIMES = 50


def measure() -> Outcome:
    """Send all launches at once; check the answers and the rows."""
    ensure_web()
    people = [ensure_people()["researcher"], ensure_people()["admin"]]
    run = make_run(f"drill-{secrets.token_hex(4)}")
    sessions = [open_session(person) for person in people]
    codes = asyncio.run(_launch_all(f"/api/runs/{run.pk}/phases/", sessions))
    phases = Phase.objects.filter(run=run).count()
    told = ", ".join(f"{count} x {code}" for code, count in sorted(codes.items()))
    ok = phases == 1 and codes == Counter({201: 1, 409: 2 * TIMES - 1})
    return Outcome(f"{phases} phase; answers: {told}", ok)


async def _launch_all(path: str, sessions: list[str]) -> Counter[int]:
    limits = httpx.Limits(max_connections=2 * TIMES)
    async with httpx.AsyncClient(
        base_url=settings.DASHBOARD_URL, limits=limits, timeout=120, trust_env=False
    ) as asking:
        headers = {"X-CSRFToken": CSRF_TOKEN, "Origin": settings.DASHBOARD_URL}
        sent = [
            asking.post(path, json={}, headers=headers | {"Cookie": _cookies(session)})
            for _ in range(TIMES)
            for session in sessions
        ]
        answers = await asyncio.gather(*sent)
    return Counter(answer.status_code for answer in answers)


def _cookies(session: str) -> str:
    found = {
        settings.SESSION_COOKIE_NAME: session,
        settings.CSRF_COOKIE_NAME: CSRF_TOKEN,
    }
    return "; ".join(f"{name}={value}" for name, value in found.items())
