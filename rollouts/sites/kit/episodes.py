"""The sites' states of open episodes: small change sets in memory.

A site that keeps its state elsewhere, in a file of its own, gives a `StoredState`.
"""

from __future__ import annotations

import abc
import copy
import functools
import itertools
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

Changes = dict[str, Any]

DEFAULT_CAPACITY = 5000
# Limit of episodes that hold files.
STORED_CAPACITY = 500


class UnknownEpisode(KeyError):
    """No open episode has this token: it never existed, was closed or was dropped."""


class UnknownSite(ValueError):
    """An episode needs a site that the sandbox does not have."""


class StateUnreadable(RuntimeError):
    """A stored state cannot be read or copied at present; the text says why."""


class StoredState(abc.ABC):
    """One site's state in one episode, kept outside this process's memory."""

    @abc.abstractmethod
    def read(self) -> Changes:
        """The change set; raises StateUnreadable."""

    @abc.abstractmethod
    def fork(self) -> StoredState:
        """A second one, equal and independent; raises StateUnreadable."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release its resources; a second call is not an error."""


SiteState = Changes | StoredState


class EpisodeStore:
    """Open episodes by token; the longest unused ones are dropped beyond a limit.

    An episode is a dict from site key to that site's change set, so opening one
    costs microseconds and forking one is a deep copy.
    """

    def __init__(
        self,
        new_states: Mapping[str, Callable[[], SiteState]],
        *,
        capacity: int = DEFAULT_CAPACITY,
        stored_capacity: int = STORED_CAPACITY,
    ) -> None:
        """Bind the factories of first states, one per site."""
        self._new_states = dict(new_states)
        self._capacity = capacity
        self._stored_capacity = stored_capacity
        self._episodes: OrderedDict[str, dict[str, SiteState]] = OrderedDict()
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
        return self._keep({site: self._new_states[site] for site in sites})

    def read(self, token: str) -> dict[str, Changes]:
        """The episode's change set per site."""
        return {site: _read(state) for site, state in self.state(token).items()}

    def state(self, token: str) -> dict[str, SiteState]:
        """The episode's state per site, live: changing it changes the site."""
        try:
            self._episodes.move_to_end(token)
            return self._episodes[token]
        except KeyError:
            raise UnknownEpisode(token) from None

    def visit(self, token: str, url: str) -> None:
        """Note the page that was opened last."""
        self._places[token] = url

    def place(self, token: str) -> str:
        """Address of the page that was opened last; "" before the first."""
        self.state(token)
        return self._places.get(token, "")

    def fork(self, token: str) -> str:
        """Open a second episode in exactly the same state; returns its token."""
        states = self.state(token)
        return self._keep(
            {site: functools.partial(_fork, state) for site, state in states.items()}
        )

    def close(self, token: str) -> None:
        """Forget the episode; closing it twice is not an error."""
        _close(self._episodes.pop(token, {}))
        self._places.pop(token, None)

    def close_all(self) -> None:
        """Forget every episode."""
        for token in list(self._episodes):
            self.close(token)

    def _keep(self, makers: Mapping[str, Callable[[], SiteState]]) -> str:
        """Make the states, all or none, and keep them under a new token."""
        states: dict[str, SiteState] = {}
        try:
            for site, make in makers.items():
                states[site] = make()
        except BaseException:
            _close(states)
            raise
        token = secrets.token_hex(8)
        self._episodes[token] = states
        self._drop(self._episodes, self._capacity)
        if _is_stored(states):
            held = self._episodes.items()
            stored = [one for one, states in held if _is_stored(states)]
            self._drop(stored, self._stored_capacity)
        return token

    def _drop(self, tokens: Collection[str], capacity: int) -> None:
        """Close the longest unused of these beyond the capacity."""
        for token in list(itertools.islice(tokens, max(0, len(tokens) - capacity))):
            self.close(token)


def _read(state: SiteState) -> Changes:
    return state.read() if isinstance(state, StoredState) else state


def _fork(state: SiteState) -> SiteState:
    return state.fork() if isinstance(state, StoredState) else copy.deepcopy(state)


def _is_stored(states: Mapping[str, SiteState]) -> bool:
    return any(isinstance(state, StoredState) for state in states.values())


def _close(states: Mapping[str, SiteState]) -> None:
    for state in states.values():
        if isinstance(state, StoredState):
            state.close()


def set_flag(flags: dict[str, bool], key: str, value: bool, *, base: bool) -> None:
    """Record that `key` is now `value`, or nothing when that is how it started."""
    if value == base:
        flags.pop(key, None)
    else:
        flags[key] = value
