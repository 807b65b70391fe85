"""Whose turn it is on sites that all episodes share.

The sandbox gives every episode a state of its own; an external site has one for
all. There a task that may change the site has it to itself, and tasks that only
read run side by side. The running rows are the lock: it ends with their lease.
A site that wants its reset is nobody's until that has been carried out, nor is one
that was closed because it kept failing; after the pause one episode at a time tries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from curriculum.models import Site
from curriculum.selectors.pools import list_addresses
from rollouts.browser.evaluators import eval_types
from rollouts.models import Trajectory
from rollouts.selectors.sites import list_shut_sites, list_trial_sites, sites_of
from rollouts.services.site_resets import want_resets
from rollouts.site_settings.resets import find_resets

# Queued episodes that are looked through for one that may run.
WINDOW = 500
CHANGING = frozenset({"program_html", "state_match"})


def pick_episodes(queued: QuerySet[Trajectory], limit: int) -> list[int]:
    """Return the ids of the next episodes that may run, oldest first.

    Called inside the transaction of the claim.
    """
    shared = frozenset(list_addresses())
    if not shared:
        return list(queued.order_by("pk").values_list("pk", flat=True)[:limit])
    # Two claims at the same time must not both find a site free.
    list(Site.objects.select_for_update().filter(key__in=shared).order_by("pk"))
    turns = _Turns(shared)
    picked: list[int] = []
    # Those that wait for a site alone must not crowd the others out of the window.
    shut = turns.list_shut()
    open_to = queued.exclude(task__site__key__in=shut) if shut else queued
    for pk, site, spec in _read(open_to.order_by("pk"))[:WINDOW]:
        if len(picked) == limit:
            break
        if turns.take(sites_of(site, spec), may_change(spec)):
            picked.append(pk)
    want_resets(keys=turns.changed_here & find_resets().keys())
    return picked


def may_change(spec: Mapping[str, Any]) -> bool:
    """Whether a task may change its site: it says so, or is checked for a change.

    Tasks that nothing checks may do anything.
    """
    says = spec.get("mutates")
    if isinstance(says, bool):
        return says
    names = eval_types(spec)
    return not names or bool(CHANGING & set(names))


class _Turns:
    """Which shared sites are read, changed, waited for, or shut to everybody."""

    def __init__(self, shared: frozenset[str]) -> None:
        self._shared = shared
        self._shut = frozenset(list_shut_sites())
        # Sites that have failed: one episode at a time tries them.
        self._on_trial = frozenset(list_trial_sites())
        self._read: set[str] = set()
        self._changed: set[str] = set()
        self._awaited: set[str] = set()
        self.changed_here: set[str] = set()
        running = Trajectory.objects.filter(status=Trajectory.Status.RUNNING)
        for _, site, spec in _read(running):
            self._hold(sites_of(site, spec) & shared, may_change(spec))

    def list_shut(self) -> frozenset[str]:
        """Return the sites that no further episode gets now."""
        return self._shut | (self._on_trial & (self._read | self._changed))

    def take(self, sites: frozenset[str], changes: bool) -> bool:
        """Take the sites if they are free; else those behind have to wait, too.

        Nobody waits behind a task on a shut site: that may last.
        """
        wanted = sites & self._shared
        if wanted & self.list_shut():
            return False
        taken = self._changed | self._awaited | (self._read if changes else set())
        if wanted & taken:
            self._awaited |= wanted
            return False
        self._hold(wanted, changes)
        if changes:
            self.changed_here |= wanted
        return True

    def _hold(self, sites: frozenset[str], changes: bool) -> None:
        held = self._changed if changes else self._read
        held |= sites


def _read(rows: QuerySet[Trajectory]) -> QuerySet[Trajectory, tuple[int, str, Any]]:
    return rows.values_list("pk", "task__site__key", "task__spec")
