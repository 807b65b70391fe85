"""R14: eight reviewers on sixty tasks; each task is decided exactly once."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from html import unescape

from django.conf import settings

from benchmarks.desk_clients import FIELD, TAKEN, TEXT, Annotator, Answer, Seen
from benchmarks.desk_rows import Desk, Sent, count_doubled, count_lost, open_desk
from drills.access.people import ensure_people
from drills.outcome import Outcome
from drills.web import ensure_web

PEOPLE, TASKS, SUBMITS = 8, 60, 3000


def measure() -> Outcome:
    """Let all decide a task that one of them reserved, and check the result."""
    ensure_people()
    with open_desk(PEOPLE, TASKS) as desk:
        seen = _decide_all(ensure_web(), desk)
        lost = count_lost(desk.phase_id, seen.sent)
        doubled = count_doubled(desk.phase_id)
    text = (
        f"{len(seen.sent) + seen.conflicts} submits: {len(seen.sent)} taken, {lost} of "
        f"them lost, {doubled} tasks decided twice; {seen.conflicts} conflicts, "
        f"{seen.without_text} without the loser's text; "
        f"{len(seen.errors)} other answers"
    )
    ok = len(seen.sent) == TASKS and not (
        lost or doubled or seen.without_text or seen.errors
    )
    return Outcome(text, ok, "; ".join(seen.errors[:3]))


def _decide_all(url: str, desk: Desk) -> Seen:
    seen = Seen()
    people = [Annotator(url, desk, n, seen, rest_s=0) for n in range(PEOPLE)]
    rng = random.Random(0)
    with ThreadPoolExecutor(PEOPLE) as threads:
        for _ in range(TASKS):
            holder = rng.choice(people)
            _claim(holder, people)
            rounds = [range(n, SUBMITS // TASKS, PEOPLE) for n in range(PEOPLE)]
            for _ in threads.map(_submit, people, itertools.repeat(holder), rounds):
                pass  # Exceptions of the threads are raised here.
    return seen


def _claim(holder: Annotator, people: list[Annotator]) -> None:
    """Reserve a task; from then on all reviewers use the holder's token."""
    for one in people:
        one.client.cookies.pop(settings.CSRF_COOKIE_NAME, None)
    holder.claim()
    token = holder.client.cookies[settings.CSRF_COOKIE_NAME]
    for one in people:
        one.client.cookies[settings.CSRF_COOKIE_NAME] = token


def _submit(one: Annotator, holder: Annotator, numbers: Iterable[int]) -> None:
    """Send the holder's form with other text, as a person who has its token can."""
    fields = dict(FIELD.findall(holder.page))
    words = unescape(TEXT.findall(holder.page)[0])
    for number in numbers:
        text = f"{words} By {one.number}, {number}."
        form = fields | {"decision": "accept", "instruction": text}
        form["seconds_spent"] = "4"
        _note(
            one.client.post("/review/decide/", form, {"HX-Request": "true"}),
            one,
            text,
            int(fields["task_id"]),
        )
    one.client.close()


def _note(answer: Answer, one: Annotator, text: str, task_id: int) -> None:
    if answer.status_code == 409:
        one.seen.count_conflict(is_text_kept=text in unescape(answer.text))
    elif answer.status_code == 200 and TAKEN in answer.text:
        one.seen.sent.append(Sent(task_id, " ".join(text.split())))
    else:
        one.seen.errors.append(f"{answer.status_code}")
