"""R14: eight reviewers on sixty tasks; every task is decided once, by one of them."""

from __future__ import annotations

import asyncio
import itertools
import random
from html import unescape

from django.conf import settings

from benchmarks.desk_clients import FIELD, TAKEN, TEXT, Annotator, Seen
from benchmarks.desk_rows import Desk, Sent, count_doubled, count_lost, open_desk
from drills.access.people import ensure_people
from drills.outcome import Outcome
from drills.web import ensure_web

PEOPLE, TASKS, SUBMITS = 8, 60, 3000


def measure() -> Outcome:
    """Let all decide what one of them reserved, and read what became of it."""
    ensure_people()
    with open_desk(PEOPLE, TASKS) as desk:
        seen = asyncio.run(_decide_all(ensure_web(), desk))
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


async def _decide_all(url: str, desk: Desk) -> Seen:
    seen = Seen()
    people = [Annotator(url, desk, n, seen, rest_s=0) for n in range(PEOPLE)]
    rng = random.Random(0)
    try:
        for _ in range(TASKS):
            holder = rng.choice(people)
            await _claim(holder, people)
            others = itertools.islice(itertools.cycle(people), SUBMITS // TASKS)
            await asyncio.gather(
                *(_submit(one, holder, n) for n, one in enumerate(others))
            )
    finally:
        for one in people:
            await one.client.aclose()
    return seen


async def _claim(holder: Annotator, people: list[Annotator]) -> None:
    """Reserve a task; from then on everybody has the holder's token."""
    for one in people:
        one.client.cookies.delete(settings.CSRF_COOKIE_NAME)
    await holder.claim()
    token = holder.client.cookies[settings.CSRF_COOKIE_NAME]
    for one in people:
        if one is not holder:
            one.client.cookies.set(settings.CSRF_COOKIE_NAME, token)


async def _submit(one: Annotator, holder: Annotator, number: int) -> None:
    """Send the holder's form with words of one's own, as whoever has seen its token."""
    fields = dict(FIELD.findall(holder.page))
    words = unescape(TEXT.findall(holder.page)[0])
    text = f"{words} By {one.number}, {number}."
    form = fields | {"decision": "accept", "instruction": text, "seconds_spent": "4"}
    answer = await one.client.post(
        "/review/decide/", data=form, headers={"HX-Request": "true"}
    )
    if answer.status_code == 409:
        one.seen.conflicts += 1
        one.seen.without_text += text not in unescape(answer.text)
    elif answer.status_code == 200 and TAKEN in answer.text:
        one.seen.sent.append(Sent(int(fields["task_id"]), " ".join(text.split())))
    else:
        one.seen.errors.append(f"{answer.status_code}")
