"""The sites' states of the episodes that are open: small change sets in memory."""

from __future__ import annotations

import copy
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Changes = dict[str, Any]

DEFAULT_CAPACITY = 5000


class UnknownEpisode(KeyError):
    """No open episode has this token: it never existed, was closed or was dropped."""


class UnknownSite(ValueError):
    """An episode asked for a site that the sandbox does not have."""


class EpisodeStore:
    """Open episodes by token; the longest unused ones are dropped beyond a limit.

    An episode is a dict from site key to that site's change set, so opening one
    costs microseconds and forking one is a deep copy.
    """

    def __init__(
        self,
        new_states: Mapping[str, Callable[[], Changes]],
        *,
        capacity: int = DEFAULT_CAPACITY,
    ) -> None:
        """Bind the factories of empty change sets, one per site."""
        self._new_states = dict(new_states)
        self._capacity = capacity
        self._episodes: OrderedDict[str, dict[str, Changes]] = OrderedDict()
        self._places: dict[str, str] = {}

    def __len__(self) -> int:
        """Number of open episodes."""
        return len(self._episodes)

    def open(self, sites: Sequence[str]) -> str:
        """Open an episode on `sites`, each as at its start; returns the token."""
        unknown = [site for site in sites if site not in self._new_states]
        if unknown or not sites:
            known = ", ".join(sorted(self._new_states))
            wrong = ", ".join(map(repr, unknown)) or "no site"
            raise UnknownSite(f"{wrong} given; the sandbox has: {known}")
        return self._keep({site: self._new_states[site]() for site in sites})

    def state(self, token: str) -> dict[str, Changes]:
        """The episode's change set per site, live: changing it changes the site."""
        try:
            self._episodes.move_to_end(token)
            return self._episodes[token]
        except KeyError:
            raise UnknownEpisode(token) from None

    def visit(self, token: str, url: str) -> None:
        """Note the page that somebody has gone to last."""
        self._places[token] = url

    def place(self, token: str) -> str:
        """Address of the page that was gone to last; "" before the first."""
        self.state(token)
        return self._places.get(token, "")

    def fork(self, token: str) -> str:
        """Open a second episode in exactly the same state; returns its token."""
        return self._keep(copy.deepcopy(self.state(token)))

    def close(self, token: str) -> None:
        """Forget the episode; closing it twice is no error."""
        self._episodes.pop(token, None)
        self._places.pop(token, None)

    def _keep(self, state: dict[str, Changes]) -> str:
        token = secrets.token_hex(8)
        self._episodes[token] = state
        while len(self._episodes) > self._capacity:
            dropped, _ = self._episodes.popitem(last=False)
            self._places.pop(dropped, None)
        return token


def set_flag(flags: dict[str, bool], key: str, value: bool, *, base: bool) -> None:
    """Record that `key` is now `value`, or nothing when that is how it started."""
    if value == base:
        flags.pop(key, None)
    else:
        flags[key] = value
