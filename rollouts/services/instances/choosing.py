"""Chooses an instance of a site: free, in its first state, the least used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from curriculum.rules.site_use import SiteUse
from rollouts.selectors.instances.conditions import (
    Instance,
    list_on_trial,
    list_shut,
    map_changes,
)
from rollouts.site_settings.resets import can_reset

# The number of an episode's instance, by site.
Choice = dict[str, int]


class InstanceStates:
    """The state of all instances while a claim goes through the queue."""

    def __init__(
        self, pools: Mapping[str, Mapping[int, str]], use: SiteUse, stage: str
    ) -> None:
        """Read the state from the database; `hold` adds to it."""
        self._pools = pools
        self._use = use
        self._stage = stage
        self._shut = set(list_shut())
        # Instances that have failed: one episode at a time tries them.
        self._on_trial = list_on_trial()
        self._changes = map_changes()
        self._held: Counter[Instance] = Counter()
        self._alone: set[Instance] = set()
        self._awaited: set[Instance] = set()
        # Instances that were found to need a reset.
        self.wanted: set[Instance] = set()

    def keys(self) -> frozenset[str]:
        """Return the sites that have instances."""
        return frozenset(self._pools)

    def hold(self, instance: Instance, *, alone: bool) -> None:
        """Note an episode on an instance."""
        self._held[instance] += 1
        if alone:
            self._alone.add(instance)

    def change(self, instance: Instance) -> None:
        """Note that an episode may change an instance, which may then need a reset."""
        changes, _ = self._changes.get(instance, (0, ""))
        self._changes[instance] = (changes + 1, self._stage)
        if self._is_due(instance):
            self._want_reset(instance)

    def list_shut_sites(self) -> frozenset[str]:
        """Return the sites that have no open instance for a further episode now."""
        return frozenset(key for key in self._pools if not self._list_open(key))

    def choose(self, key: str, *, alone: bool) -> int | None:
        """Return the best instance that is free; None where there is none.

        Where none in its first state is free, the reset of another becomes wanted.
        """
        found = self._list_open(key)
        due = [one for one in found if self._is_due(one)]
        free = [one for one in found if one not in due and self._is_free(one, alone)]
        if free:
            return min(free, key=self._rank)[1]
        idle = [one for one in due if not self._held[one]]
        if idle or len(due) == len(found):
            for one in sorted(idle or due, key=self._rank)[:1]:
                self._want_reset(one)
        return None

    def wait_for(self, key: str) -> None:
        """Reserve the instance that will be free first."""
        found = [one for one in self._list_open(key) if one not in self._awaited]
        if found:
            self._awaited.add(min(found, key=self._rank))

    def _list_open(self, key: str) -> list[Instance]:
        instances = [(key, number) for number in self._pools[key]]
        return [one for one in instances if not self._is_shut(one)]

    def _is_shut(self, instance: Instance) -> bool:
        is_tried = instance in self._on_trial and self._held[instance] > 0
        return instance in self._shut or is_tried

    def _is_free(self, instance: Instance, alone: bool) -> bool:
        if instance in self._alone or instance in self._awaited:
            return False
        return not (alone and self._held[instance])

    def _is_due(self, instance: Instance) -> bool:
        changes, changed_in = self._changes.get(instance, (0, ""))
        is_due = self._use.is_due(changes, changed_in, self._stage)
        return is_due and can_reset(instance)

    def _want_reset(self, instance: Instance) -> None:
        self.wanted.add(instance)
        self._shut.add(instance)

    def _rank(self, instance: Instance) -> tuple[bool, int, int]:
        on_trial = instance in self._on_trial
        return on_trial, self._held[instance], instance[1]
