"""Annotators that talk to the review desk as browsers do, each with its own session.

Each is a thread: a client that computes little leaves the processor to the dashboard.
"""

from __future__ import annotations

import dataclasses
import http.client
import random
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

from django.conf import settings

from benchmarks.desk_rows import Desk, Sent

FIELD = re.compile(r'name="(task_id|token|csrfmiddlewaretoken)"\s+value="([^"]*)"')
TEXT = re.compile(r'data-original="([^"]*)"')
FORM = "application/x-www-form-urlencoded"
TAKEN = "Edited and accepted."
# Share of decisions that a client without pauses sends a second time.
REPEATS = 0.1
TIMEOUT_S = 120.0
# A browser keeps a connection until the server closes it, after five seconds.
REST_S = 4.0


@dataclasses.dataclass(slots=True)
class Seen:
    """What all clients together have observed. Times in milliseconds."""

    decisions: list[float] = dataclasses.field(default_factory=list)
    claims: list[float] = dataclasses.field(default_factory=list)
    sent: list[Sent] = dataclasses.field(default_factory=list)
    conflicts: int = 0
    without_text: int = 0
    errors: list[str] = dataclasses.field(default_factory=list)
    _lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def count_conflict(self, *, is_text_kept: bool) -> None:
        """Count a decision that came second."""
        with self._lock:
            self.conflicts += 1
            self.without_text += not is_text_kept


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """The server's answer."""

    status_code: int
    text: str


class Client:
    """One person's cookies and connection, kept for `rest_s` between two requests.

    The server closes a connection that is idle for five seconds. 0 opens one for each
    request, for a machine that is too slow to measure idle time.
    """

    def __init__(self, url: str, rest_s: float) -> None:
        """`url` is where the dashboard answers."""
        self.url, self.rest_s = urlsplit(url), rest_s
        self.cookies: dict[str, str] = {}
        self._connection: http.client.HTTPConnection | None = None
        self._used = 0.0

    def get(self, path: str, **query: str) -> Answer:
        """Request a page."""
        return self._ask("GET", f"{path}?{urlencode(query)}", {}, "")

    def post(
        self, path: str, fields: Mapping[str, str], headers: Mapping[str, str]
    ) -> Answer:
        """Send a form."""
        sent = {"Content-Type": FORM, **headers}
        return self._ask("POST", path, sent, urlencode(fields))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(
        self, method: str, target: str, headers: dict[str, str], body: str
    ) -> Answer:
        cookies = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        connection = self._connect()
        connection.request(method, target, body, headers | {"Cookie": cookies})
        answer = connection.getresponse()
        text = answer.read().decode()
        for line in answer.headers.get_all("Set-Cookie", ()):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        self._used = time.monotonic()
        return Answer(answer.status, text)

    def _connect(self) -> http.client.HTTPConnection:
        if time.monotonic() - self._used >= self.rest_s:
            self.close()
        if self._connection is None:
            kind = (
                http.client.HTTPSConnection
                if self.url.scheme == "https"
                else http.client.HTTPConnection
            )
            host = self.url.hostname or ""
            self._connection = kind(host, self.url.port, timeout=TIMEOUT_S)
        return self._connection


class Annotator:
    """One person at the desk; `is_plain` works without scripts."""

    def __init__(
        self, url: str, desk: Desk, number: int, seen: Seen, rest_s: float = REST_S
    ) -> None:
        self.client = Client(url, rest_s)
        self.client.cookies[settings.SESSION_COOKIE_NAME] = desk.sessions[number]
        self.phase, self.number, self.seen = str(desk.phase_id), number, seen
        self.is_plain = number % 2 == 1
        self.rng = random.Random(number)
        self.page = ""
        self.last: dict[str, str] = {}

    def claim(self) -> None:
        """Open the desk: the next task is reserved and shown."""
        began = time.perf_counter()
        answer = self.client.get("/review/", phase=self.phase)
        self.seen.claims.append((time.perf_counter() - began) * 1000)
        if answer.status_code != 200:
            self.seen.errors.append(f"claim: {answer.status_code}")
        self.page = answer.text

    def decide(self) -> None:
        """Edit and accept the task on the desk; with scripts, the next one follows."""
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
        answer = self._post(self.last)
        self.seen.decisions.append((time.perf_counter() - began) * 1000)
        self._note(answer)
        if self.is_plain:
            self.claim()
        else:
            self.page = answer.text

    def repeat(self) -> None:
        """Send the last decision again: it must be refused and its text kept."""
        answer = self._post(self.last)
        if answer.status_code == 409:
            is_kept = self.last["instruction"] in unescape(answer.text)
            self.seen.count_conflict(is_text_kept=is_kept)
        else:
            self.seen.errors.append(f"second time: {answer.status_code}")

    def warm(self) -> None:
        """Have the next task prepared, as the page does."""
        self.client.get("/review/warm/", phase=self.phase)

    def _post(self, fields: Mapping[str, str]) -> Answer:
        headers = {} if self.is_plain else {"HX-Request": "true"}
        return self.client.post("/review/decide/", fields, headers)

    def _note(self, answer: Answer) -> None:
        is_taken = answer.status_code == 302 or TAKEN in answer.text
        if is_taken:
            task_id, text = int(self.last["task_id"]), self.last["instruction"]
            self.seen.sent.append(Sent(task_id, " ".join(text.split())))
        else:
            self.seen.errors.append(f"decision: {answer.status_code}")


def work(url: str, desk: Desk, *, seconds: float, think_s: float) -> Seen:
    """Let all decide until the time is up, without pauses where `think_s` is 0."""
    seen = Seen()
    people = [Annotator(url, desk, n, seen) for n in range(len(desk.sessions))]
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(len(people)) as threads:
        for _ in threads.map(lambda one: _work_one(one, until, think_s), people):
            pass  # Exceptions of the threads are raised here.
    return seen


def _work_one(one: Annotator, until: float, think_s: float) -> None:
    try:
        time.sleep(one.rng.uniform(0, think_s))
        one.claim()
        while time.monotonic() < until and "data-original" in one.page:
            if think_s:
                one.warm()
                time.sleep(one.rng.uniform(0.5, 1.5) * think_s)
            one.decide()
            if not think_s and one.rng.random() < REPEATS:
                one.repeat()
    finally:
        one.client.close()
