"""S6: requests that a page of another site makes a signed-in browser send."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from django.conf import settings

from drills.access.people import ensure_people
from drills.access.sockets import fill, is_let_in, list_sockets
from drills.access.walk import CHANGING, fill_all
from drills.outcome import Outcome
from drills.web import client

SHOWN = 5
FORM = "application/x-www-form-urlencoded"
# Content types that a browser sends without a preflight request, and one with.
KINDS = (FORM, "text/plain", "application/json")


def measure() -> Outcome:
    """Send requests that change rows, with a person's cookie, as another site can."""
    sent = list(_send_all())
    doors = list(_open_sockets())
    through = [text for text in (*sent, *doors) if text]
    text = (
        f"{len(sent)} requests with an administrator's cookie and {len(doors)} sockets "
        f"from other origins: {len(through)} came through"
    )
    return Outcome(text, not through, "; ".join(through[:SHOWN]))


@functools.cache
def strange_origins() -> tuple[str | None, ...]:
    """Return origins that are not the dashboard's, some of which look like it."""
    own = str(settings.DASHBOARD_URL)
    host = own.partition("://")[2]
    return (
        None,
        "null",
        "http://evil.example",
        f"{own}.evil.example",
        f"http://evil.example/{own}",
        f"http://{host}@evil.example",
        f"https://{host}",
        own.rpartition(":")[0],
        str(settings.REPLAY_ORIGIN),
        str(settings.TRACE_ORIGIN),
    )


def _send_all() -> Iterator[str]:
    """Yield each request that was accepted; "" for those refused (403, 404, 405)."""
    with client(ensure_people()["admin"]) as asking:
        # Neither the token nor our origin: another site's page has neither.
        asking.headers.pop("X-CSRFToken")
        for address, path in fill_all().items():
            for method in CHANGING:
                kind = KINDS[len(address.pattern) % len(KINDS)]
                asking.headers["Origin"] = "http://evil.example"
                asking.headers["Content-Type"] = kind
                with asking.stream(method, path, content=b"{}") as answer:
                    is_refused = answer.status_code in (403, 404, 405)
                    yield (
                        ""
                        if is_refused
                        else (f"{method} {address.pattern}: {answer.status_code}")
                    )


def _open_sockets() -> Iterator[str]:
    person = ensure_people()["admin"]
    for pattern in list_sockets():
        for origin in strange_origins():
            was = is_let_in(fill(pattern), person, origin)
            yield f"{pattern} from {origin}" if was else ""
