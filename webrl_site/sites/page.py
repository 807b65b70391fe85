"""One site's set-up as its page shows it, instance by instance."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from curriculum.models import Site
from curriculum.selectors.pools import list_instances
from rollouts.selectors.instances.conditions import Holder, list_holders
from rollouts.selectors.sites import (
    ConditionView,
    describe_conditions,
    name_instance,
)
from rollouts.site_settings.resets import can_reset


@dataclasses.dataclass(frozen=True, slots=True)
class InstanceView:
    """One instance of an external site.

    Attributes:
        holders: The running episodes that have it.
        condition: None where it never was in trouble and never changed.
        can_be_reset: The settings say how.
    """

    site: Site
    number: int
    address: str
    holders: Sequence[Holder]
    condition: ConditionView | None
    can_be_reset: bool

    @property
    def name(self) -> str:
        return name_instance(self.site.name, self.number)


def describe_instances(site: Site) -> list[InstanceView]:
    """Return the instances of a site in the order of their numbers.

    Raises:
        WorkbenchError: SITE_RESETS has a mistake.
    """
    found = list_instances().get(site.key, {})
    conditions = describe_conditions() if found else {}
    holders = list_holders([site.key]) if found else []
    return [
        InstanceView(
            site,
            number,
            address,
            [one for one in holders if (site.key, number) in one.instances],
            conditions.get((site.pk, number)),
            can_reset((site.key, number)),
        )
        for number, address in found.items()
    ]
