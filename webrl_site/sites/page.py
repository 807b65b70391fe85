"""One site's set-up as its page shows it, instance by instance."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from django.utils.translation import gettext, ngettext

from curriculum.models import Site
from curriculum.selectors.pools import list_instances
from curriculum.texts.saying import say
from rollouts.models import InstanceCheck
from rollouts.selectors.instances.checks import list_troubles, map_checks
from rollouts.selectors.instances.conditions import Holder, list_holders
from rollouts.selectors.sites import (
    ConditionView,
    describe_conditions,
    name_instance,
)
from rollouts.site_settings.resets import can_reset
from webrl_site.server.health import Check


@dataclasses.dataclass(frozen=True, slots=True)
class InstanceView:
    """One instance of an external site.

    Attributes:
        holders: The running episodes that have it.
        condition: None if it was never in trouble and never changed.
        can_be_reset: Whether the settings have a reset for it.
        check: The result of its newest check; None before the first.
    """

    site: Site
    number: int
    address: str
    holders: Sequence[Holder]
    condition: ConditionView | None
    can_be_reset: bool
    check: InstanceCheck | None

    @property
    def name(self) -> str:
        return name_instance(self.site.name, self.number)

    @property
    def troubles(self) -> list[str]:
        """What the newest check found wrong, and what to do."""
        return [say(why) for why in list_troubles(self.check)] if self.check else []


def describe_instances(site: Site) -> list[InstanceView]:
    """Return the instances of a site in the order of their numbers.

    Raises:
        WorkbenchError: SITE_RESETS has a mistake.
    """
    found = list_instances().get(site.key, {})
    conditions = describe_conditions() if found else {}
    holders = list_holders([site.key]) if found else []
    checks = map_checks([site.key]) if found else {}
    return [
        InstanceView(
            site,
            number,
            address,
            [one for one in holders if (site.key, number) in one.instances],
            conditions.get((site.pk, number)),
            can_reset((site.key, number)),
            checks.get((site.key, number)),
        )
        for number, address in found.items()
    ]


def describe_steps(instances: Sequence[InstanceView], *, signs_in: bool) -> list[Check]:
    """Return the progress of an external site's set-up, step by step."""
    return [
        _describe_address(instances),
        _describe_sign_in(signs_in),
        _describe_reset(instances),
        _describe_look(instances),
    ]


def _describe_address(instances: Sequence[InstanceView]) -> Check:
    if not instances:
        text = gettext(
            "None yet. An administrator can set it, or use ./webrl site address."
        )
        return Check(gettext("Address"), "warn", text)
    count = len(instances)
    text = ngettext("%(n)s instance.", "%(n)s instances.", count) % {"n": count}
    return Check(gettext("Address"), "ok", text)


def _describe_sign_in(signs_in: bool) -> Check:
    text = gettext("SITE_SIGN_INS has no entry for it: episodes begin signed out.")
    if signs_in:
        text = gettext("SITE_SIGN_INS has an entry for it.")
    return Check(gettext("Sign-in"), "ok" if signs_in else "idle", text)


def _describe_reset(instances: Sequence[InstanceView]) -> Check:
    missing = [one.name for one in instances if not one.can_be_reset]
    if not instances or not missing:
        text = gettext("SITE_RESETS has an entry for each instance.")
        return Check(gettext("Reset"), "ok" if instances else "idle", text)
    text = gettext(
        "SITE_RESETS has no entry for %(names)s: changes made by one episode "
        "remain for the next."
    ) % {"names": ", ".join(missing)}
    return Check(gettext("Reset"), "warn", text)


def _describe_look(instances: Sequence[InstanceView]) -> Check:
    checks = [one.check for one in instances]
    if any(one.troubles for one in instances):
        texts = [f"{one.name}: {why}" for one in instances for why in one.troubles]
        return Check(gettext("Check"), "bad", " ".join(texts))
    if is_awaited(instances):
        text = gettext("The takeover worker has been asked to check.")
        return Check(gettext("Check"), "idle", text)
    if not checks or any(one is None or one.checked_at is None for one in checks):
        text = gettext("Not every instance has been checked: press Check now.")
        return Check(gettext("Check"), "warn", text)
    texts = [
        f"{one.name}: {say(one.check.answers_why)}"
        for one in instances
        if one.check and one.check.answers_why
    ]
    if texts:
        return Check(gettext("Check"), "warn", " ".join(texts))
    text = gettext("Every instance answers, signed in where it should be.")
    return Check(gettext("Check"), "ok", text)


def is_awaited(instances: Sequence[InstanceView]) -> bool:
    """Say whether a check of one of the instances is running."""
    checks = [one.check for one in instances]
    return any(one is not None and one.wanted_at is not None for one in checks)
