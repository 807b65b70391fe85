"""Limits how often a secret may be guessed in a minute before a wait.

Counted in the database, so that all web processes share a count and parallel tries
cannot evade it: a try is counted before it is checked, and the count is taken back if
it was right.
"""

from __future__ import annotations

import dataclasses
import hashlib
import ipaddress
import time

from django.db.models import F

from webrl_site.models import GuessCount

# Minutes that a count is kept; only the present one matters.
KEPT_MIN = 2
# The size of the IPv6 network that one customer has.
IPV6_PREFIX = 64


@dataclasses.dataclass(frozen=True, slots=True)
class GuessLimit:
    """At most `most` wrong secrets of one kind a minute from one `who`."""

    kind: str
    most: int

    def take(self, who: str) -> int:
        """Count a try; return 0, or the seconds until the next try is allowed."""
        minute, second = _now()
        row = GuessCount.objects.filter(key=self._key(who), minute=minute)
        if not row.exists():
            GuessCount.objects.get_or_create(key=self._key(who), minute=minute)
        allowed = row.filter(count__lt=self.most).update(count=F("count") + 1)
        return 0 if allowed else 60 - second

    def give_back(self, who: str) -> None:
        """Take a try back, since it was right."""
        row = GuessCount.objects.filter(key=self._key(who), minute=_now()[0])
        row.filter(count__gt=0).update(count=F("count") - 1)

    def _key(self, who: str) -> str:
        """Hash typed text: it may be long, and may be a secret by mistake."""
        return hashlib.sha256(f"{self.kind}\n{who}".encode()).hexdigest()


def name_address(text: str | None) -> str:
    """Return a client's key: its address, or for IPv6 the customer's network."""
    try:
        address = ipaddress.ip_address(text or "")
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False))


def forget_guesses() -> int:
    """Delete the counts of past minutes; returns how many."""
    old = GuessCount.objects.filter(minute__lt=_now()[0] - KEPT_MIN)
    # With a single-writer database, a delete has to wait for others; a read does not.
    return old.delete()[0] if old.exists() else 0


def _now() -> tuple[int, int]:
    """Return the present minute and the second in it."""
    return divmod(int(time.time()), 60)
