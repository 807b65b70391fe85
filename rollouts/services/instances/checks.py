"""Checks of a site's instances: requested by a person, carried out by a worker."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from curriculum.errors import WorkbenchError
from curriculum.models import Site
from curriculum.selectors.database_clock import database_now
from curriculum.selectors.pools import list_instances
from curriculum.texts.sentences import Sentence
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.types import SignIn
from rollouts.models import InstanceCheck
from rollouts.site_settings.resets import find_reset
from rollouts.site_settings.sign_in_file import parse_sign_ins
from rollouts.site_settings.site_hosts_file import parse_hosts
from rollouts.site_settings.site_reset import find_change

logger = logging.getLogger(__name__)

# Takes a site's key, addresses, sign-ins, further hosts and the browser; returns a
# finding per address.
Look = Callable[
    [str, Sequence[str], Mapping[str, SignIn], Sequence[AllowedHost], str | None],
    Sequence[Any],
]


@transaction.atomic
def request_check(*, site_id: int) -> int:
    """Request a check of all instances of a site; return how many it has."""
    site = Site.objects.get(pk=site_id)
    numbers = list_instances().get(site.key, {})
    InstanceCheck.objects.bulk_create(
        [InstanceCheck(site=site, number=number) for number in numbers],
        ignore_conflicts=True,
    )
    rows = InstanceCheck.objects.filter(site=site, number__in=numbers)
    return rows.update(wanted_at=database_now())


def check_site(*, site_id: int, look: Look) -> int:
    """Check the instances for which that is requested; return how many.

    `look` opens the browser. It may run twice; a check that is requested meanwhile
    stays requested. An instance that has been removed needs no check.
    """
    site = Site.objects.get(pk=site_id)
    addresses = list_instances().get(site.key, {})
    wanted = InstanceCheck.objects.filter(site=site, wanted_at__isnull=False)
    wanted.exclude(number__in=addresses).update(wanted_at=None)
    rows = [row for row in wanted if row.number in addresses]
    if not rows:
        return 0
    urls = [addresses[row.number] for row in rows]
    for row, url, found in zip(rows, urls, _look(site, urls, look), strict=True):
        found |= _find_first_state(site.key, row.number, url)
        same = InstanceCheck.objects.filter(pk=row.pk, wanted_at=row.wanted_at)
        same.update(**found, wanted_at=None, checked_at=database_now())
    return len(rows)


def _look(site: Site, urls: Sequence[str], look: Look) -> list[dict[str, Any]]:
    """Return the findings as columns; an error of `look` is each instance's finding."""
    try:
        recipes = parse_sign_ins(settings.SITE_SIGN_INS)
        further = parse_hosts(settings.SITE_HOSTS).get(site.key, ())
        executable = settings.BROWSER_EXECUTABLE or None
        found = look(site.key, urls, recipes, further, executable)
        return [dataclasses.asdict(one) for one in found]
    except WorkbenchError as error:
        why = error.message
    except Exception as error:
        logger.exception("The check of %s broke", site.key)
        why = type(error).__name__
    told = Sentence("check_broken", reason=why)
    return [{"answers": None, "answers_why": told} for _ in urls]


def _find_first_state(key: str, number: int, url: str) -> dict[str, Any]:
    try:
        reset = find_reset(key, number, url)
    except WorkbenchError:
        reset = None
    if reset is None or reset.first_state is None:
        return {"is_at_first": None, "at_first_why": ""}
    why = find_change(reset)
    told = Sentence("instance_not_at_first", reason=why) if why else ""
    return {"is_at_first": not why, "at_first_why": told}
