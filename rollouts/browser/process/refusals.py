"""Counts an episode's refused connections, within bounds."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from rollouts.browser.types import RefusedAttempt

# Most destinations that an episode's record names; later ones are counted together.
MAX_PLACES = 20
MAX_HOST_LENGTH = 100
# A connection that belongs to no request of a page, such as WebRTC's.
CONNECTION = "connection"
# The host name of the common entry for all destinations beyond the limit.
OTHERS = "..."
DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}

Place = tuple[str, int]


class Refusals:
    """Counts refused attempts by host, port and kind.

    Nothing else of a request is kept: its path, fields and body may contain secrets.
    """

    def __init__(self) -> None:
        """No connection has been refused yet."""
        self._counts: Counter[tuple[Place, str]] = Counter()

    def note(self, host: str, port: int) -> None:
        """Count one refused connection."""
        self._counts[self._place(host, port), CONNECTION] += 1

    def explain(self, url: str, kind: str) -> None:
        """Say which kind of request a refused connection was for."""
        with suppress(ValueError):
            parts = urlsplit(url)
            port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
            place = self._place(parts.hostname or "", port)
            if self._counts[place, CONNECTION]:
                self._counts[place, CONNECTION] -= 1
                self._counts[place, kind] += 1

    def list_attempts(self) -> tuple[RefusedAttempt, ...]:
        """Return what was refused, the most frequent first."""
        return tuple(
            RefusedAttempt(host, port, kind, count)
            for ((host, port), kind), count in self._counts.most_common()
            if count
        )

    def _place(self, host: str, port: int) -> Place:
        place = _write_host(host), port
        known = {one for one, _ in self._counts}
        if place in known or len(known) < MAX_PLACES:
            return place
        return OTHERS, 0


def _write_host(host: str) -> str:
    """Normalise an address; cut it where it is too long."""
    with suppress(ValueError):
        return ip_address(host).compressed
    return host.lower()[:MAX_HOST_LENGTH]
