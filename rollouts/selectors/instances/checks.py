"""Findings of checks of instances: what is wrong, and which sites share a cookie."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from urllib.parse import urlsplit

from curriculum.models import Site
from curriculum.rules.site_use import SiteUse
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pools import list_instances
from rollouts.models import InstanceCheck
from rollouts.selectors.instances.conditions import Instance, map_changes
from rollouts.selectors.sites import name_instance
from rollouts.site_settings.resets import can_reset


@dataclasses.dataclass(frozen=True, slots=True)
class SharedCookie:
    """Two sites on one host with a cookie of the same name: one session ends the other.

    Attributes:
        keys: The sites' keys.
        sites: Their names.
        names: The names of the cookies.
    """

    keys: tuple[str, str]
    sites: tuple[str, str]
    host: str
    names: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Unfit:
    """One reason not to begin on an instance.

    Attributes:
        name: The instance.
        why: What is wrong and what to do; "" where `changes` says it.
        changes: Episodes that may have changed it, where the run would not reset it.
    """

    name: str
    why: str
    changes: int = 0


def list_late_checks(after_s: float) -> list[int]:
    """Return the sites whose checks were requested so many seconds ago, or earlier."""
    before = database_now() - dt.timedelta(seconds=after_s)
    late = InstanceCheck.objects.filter(wanted_at__lte=before).order_by("site_id")
    return list(late.values_list("site_id", flat=True).distinct())


def map_checks(keys: Collection[str]) -> dict[Instance, InstanceCheck]:
    """Return the newest check of each instance of these sites that has an address."""
    pools = list_instances()
    rows = InstanceCheck.objects.filter(site__key__in=keys).select_related("site")
    return {
        (row.site.key, row.number): row
        for row in rows
        if row.number in pools.get(row.site.key, {})
    }


def list_unfit(keys: Collection[str], use: SiteUse) -> list[Unfit]:
    """Return why a run should not begin on these sites; [] without findings.

    Raises:
        WorkbenchError: SITE_RESETS has a mistake.
    """
    checks = map_checks(keys)
    found = [
        Unfit(name_instance(row.site.name, row.number), why)
        for row in checks.values()
        for why in list_troubles(row)
    ]
    return found + list(_list_changed(keys, use))


def list_troubles(row: InstanceCheck) -> Iterator[str]:
    """Yield what a check has found wrong with an instance."""
    if row.answers is False:
        yield row.answers_why
    if row.is_signed_in is False:
        yield row.signed_in_why
    if row.is_at_first is False:
        yield row.at_first_why


def _list_changed(keys: Collection[str], use: SiteUse) -> Iterator[Unfit]:
    """Yield instances that others have changed and the run would not reset first."""
    pools = list_instances()
    names = dict(Site.objects.filter(key__in=keys).values_list("key", "name"))
    for (key, number), (changes, _) in sorted(map_changes().items()):
        is_wanted = key in keys and number in pools.get(key, {})
        will_reset = use.is_due(changes, "", "first")
        if is_wanted and not will_reset and can_reset((key, number)):
            yield Unfit(name_instance(names[key], number), "", changes)


def find_shared_cookies(keys: Collection[str]) -> list[SharedCookie]:
    """Return the sites on one host whose cookies have the same name and path.

    A browser keeps cookies by host, without the port.
    """
    pools = list_instances()
    checks = map_checks(keys)
    return [
        SharedCookie(
            (one[0], two[0]),
            (
                name_instance(checks[one].site.name, one[1]),
                name_instance(checks[two].site.name, two[1]),
            ),
            host,
            names,
        )
        for one, two in combinations(sorted(checks), 2)
        if one[0] != two[0]
        and (host := _host_of(pools, one)) == _host_of(pools, two)
        and (names := _share(checks[one], checks[two]))
    ]


def _host_of(pools: Mapping[str, Mapping[int, str]], instance: Instance) -> str:
    return urlsplit(pools[instance[0]][instance[1]]).hostname or ""


def _share(one: InstanceCheck, two: InstanceCheck) -> tuple[str, ...]:
    both = {tuple(cookie) for cookie in one.cookies}
    both &= {tuple(cookie) for cookie in two.cookies}
    return tuple(sorted({name for name, _ in both}))
