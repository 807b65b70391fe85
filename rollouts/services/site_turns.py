"""Which instances of external sites each episode gets, and in which order.

The sandbox gives every episode a state of its own; an instance of an external site has
one for all. A task that may change it has the instance to itself; tasks that only read
share it. The running rows are the lock: it is written in the update that claims the
episode and ends with their lease. No episode gets an instance that needs a reset, or
one that is closed because it kept failing; after the pause one episode at a time tries
it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from curriculum.models import Run, Site
from curriculum.phase_config import RolloutConfig
from curriculum.rules.site_use import SiteUse
from rollouts.browser.evaluators import eval_types
from rollouts.models import Trajectory
from rollouts.selectors.instances.conditions import list_holders
from rollouts.selectors.sites import sites_of
from rollouts.services.instances.choosing import Choice, InstanceStates
from rollouts.services.site_resets import note_changes, want_resets

# How many queued episodes are searched for one that may run.
WINDOW = 500
CHANGING = frozenset({"program_html", "state_match"})


def pick_episodes(
    queued: QuerySet[Trajectory],
    limit: int,
    *,
    pools: Mapping[str, Mapping[int, str]],
    phase_id: int,
    purpose: str,
) -> dict[int, Choice]:
    """Return the next episodes that may run, oldest first, with their instances.

    They are all of one phase and purpose. Called inside the claim's transaction when
    there are external sites; `pools` are their instances.
    """
    # Two claims at the same time must not both find an instance free.
    list(Site.objects.select_for_update().filter(key__in=pools).order_by("pk"))
    stage = f"{phase_id}/{purpose}"
    turns = _Turns(pools, _read_use(phase_id), stage)
    picked: dict[int, Choice] = {}
    # Episodes that wait for a site must not crowd the others out of the window.
    shut = turns.states.list_shut_sites()
    open_to = queued.exclude(task__site__key__in=shut) if shut else queued
    rows = open_to.order_by("pk").values_list("pk", "task__site__key", "task__spec")
    for pk, site, spec in rows[:WINDOW]:
        if len(picked) == limit:
            break
        choice = turns.take(sites_of(site, spec), may_change(spec))
        if choice is not None:
            picked[pk] = choice
    note_changes(changes=turns.changes, stage=stage)
    want_resets(instances=turns.states.wanted)
    return picked


def _read_use(phase_id: int) -> SiteUse:
    run = Run.objects.get(phases=phase_id)
    return RolloutConfig(**run.config.get("rollout", {})).site_use


def may_change(spec: Mapping[str, Any]) -> bool:
    """Whether a task may change its site: it says so, or its evaluators check a change.

    A task without evaluators may do anything.
    """
    says = spec.get("mutates")
    if isinstance(says, bool):
        return says
    names = eval_types(spec)
    return not names or bool(CHANGING & set(names))


class _Turns:
    """Gives episodes their instances, one after another."""

    def __init__(
        self, pools: Mapping[str, Mapping[int, str]], use: SiteUse, stage: str
    ) -> None:
        self._use = use
        self.states = InstanceStates(pools, use, stage)
        self.changes: Counter[tuple[str, int]] = Counter()
        for holder in list_holders(pools):
            alone = may_change(holder.spec) and not holder.shares
            for instance in holder.instances:
                self.states.hold(instance, alone=alone)

    def take(self, sites: frozenset[str], changes: bool) -> Choice | None:
        """Take an instance of each site if one is free; None where one is not.

        Then later tasks on the site wait, too, unless all of its instances are closed:
        that may last.
        """
        wanted = sorted(sites & self.states.keys())
        alone = changes and not self._use.shares
        found = {key: self.states.choose(key, alone=alone) for key in wanted}
        if any(number is None for number in found.values()):
            if not self.states.list_shut_sites().intersection(wanted):
                for key in wanted:
                    self.states.wait_for(key)
            return None
        choice = {key: number for key, number in found.items() if number is not None}
        for instance in choice.items():
            self.states.hold(instance, alone=alone)
            if changes:
                self.changes[instance] += 1
                self.states.change(instance)
        return choice
