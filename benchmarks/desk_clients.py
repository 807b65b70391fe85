"""Annotators that talk to the review desk as browsers do, each with its own session."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import re
import ssl
import time
from html import unescape

import httpx
from django.conf import settings

from benchmarks.desk_rows import Desk, Sent

FIELD = re.compile(r'name="(task_id|token|csrfmiddlewaretoken)"\s+value="([^"]*)"')
TEXT = re.compile(r'data-original="([^"]*)"')
# Read once: a hundred clients that each read all certificates keep a core for 2 s.
TRUSTED = ssl.create_default_context()
TAKEN = "Edited and accepted."
# How often a client that hammers sends its last decision once more.
REPEATS = 0.1


@dataclasses.dataclass(slots=True)
class Seen:
    """What all clients together have seen. Times in milliseconds."""

    decisions: list[float] = dataclasses.field(default_factory=list)
    claims: list[float] = dataclasses.field(default_factory=list)
    sent: list[Sent] = dataclasses.field(default_factory=list)
    conflicts: int = 0
    without_text: int = 0
    errors: list[str] = dataclasses.field(default_factory=list)


class Annotator:
    """One person at the desk; `is_plain` works without scripts.

    Connections that rest for `rest_s` are not used again: the server closes them after
    five seconds. 0 opens one for each request, for a machine too slow to tell.
    """

    def __init__(
        self, url: str, desk: Desk, number: int, seen: Seen, rest_s: float = 2.0
    ) -> None:
        kept = None if rest_s else 0
        rest = httpx.Limits(max_keepalive_connections=kept, keepalive_expiry=rest_s)
        self.client = httpx.AsyncClient(
            base_url=url, timeout=120, limits=rest, verify=TRUSTED
        )
        self.client.cookies.set(settings.SESSION_COOKIE_NAME, desk.sessions[number])
        self.phase, self.number, self.seen = str(desk.phase_id), number, seen
        self.is_plain = number % 2 == 1
        self.rng = random.Random(number)
        self.page = ""
        self.last: dict[str, str] = {}

    async def claim(self) -> None:
        """Open the desk: the next task is reserved and shown."""
        began = time.perf_counter()
        answer = await self.client.get("/review/", params={"phase": self.phase})
        self.seen.claims.append((time.perf_counter() - began) * 1000)
        if answer.status_code != 200:
            self.seen.errors.append(f"claim: {answer.status_code}")
        self.page = answer.text

    async def decide(self) -> None:
        """Edit and accept what is on the desk; with scripts, the next comes along."""
        fields = dict(FIELD.findall(self.page))
        text = unescape(TEXT.findall(self.page)[0])
        stamp = f"By {self.number} at {self.rng.random():.12f}."
        self.last = fields | {
            "decision": "accept",
            "instruction": f"{text} {stamp}",
            "phase": self.phase,
            "seconds_spent": "4",
        }
        began = time.perf_counter()
        answer = await self._post(self.last)
        self.seen.decisions.append((time.perf_counter() - began) * 1000)
        self._note(answer)
        if self.is_plain:
            await self.claim()
        else:
            self.page = answer.text

    async def repeat(self) -> None:
        """Send the last decision once more: it must be refused, its text kept."""
        answer = await self._post(self.last)
        if answer.status_code == 409:
            self.seen.conflicts += 1
            kept = self.last["instruction"] in unescape(answer.text)
            self.seen.without_text += not kept
        else:
            self.seen.errors.append(f"second time: {answer.status_code}")

    async def warm(self) -> None:
        await self.client.get("/review/warm/", params={"phase": self.phase})

    async def _post(self, fields: dict[str, str]) -> httpx.Response:
        headers = {} if self.is_plain else {"HX-Request": "true"}
        return await self.client.post("/review/decide/", data=fields, headers=headers)

    def _note(self, answer: httpx.Response) -> None:
        is_taken = answer.status_code == 302 or TAKEN in answer.text
        if is_taken:
            task_id, text = int(self.last["task_id"]), self.last["instruction"]
            self.seen.sent.append(Sent(task_id, " ".join(text.split())))
        else:
            self.seen.errors.append(f"decision: {answer.status_code}")


async def work(url: str, desk: Desk, *, seconds: float, think_s: float) -> Seen:
    """Let everybody decide until the time is up; without thought they hammer."""
    seen = Seen()
    people = [Annotator(url, desk, n, seen) for n in range(len(desk.sessions))]
    until = time.monotonic() + seconds
    await asyncio.gather(*(_work_one(one, until, think_s) for one in people))
    return seen


async def _work_one(one: Annotator, until: float, think_s: float) -> None:
    async with one.client:
        await asyncio.sleep(one.rng.uniform(0, think_s))
        await one.claim()
        while time.monotonic() < until and "data-original" in one.page:
            if think_s:
                await one.warm()
                await asyncio.sleep(one.rng.uniform(0.5, 1.5) * think_s)
            await one.decide()
            if not think_s and one.rng.random() < REPEATS:
                await one.repeat()
