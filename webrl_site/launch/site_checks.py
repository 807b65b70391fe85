"""The sites of a launch, asked instance by instance."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
from django.utils.translation import gettext

from curriculum.models import Site
from curriculum.selectors.pools import list_instances
from rollouts.selectors.instances.conditions import Instance, list_shut
from rollouts.selectors.sites import name_instance
from webrl_site.server.health import Check, check_sandbox

SITE_TIMEOUT_S = 1.0


def check_sites(keys: Sequence[str]) -> list[Check]:
    """Ask the sandbox once and each instance of external sites, all at a time."""
    pools = list_instances()
    shut = list_shut()
    instances = [(key, n) for key in keys for n in pools.get(key, ())]
    names = dict(Site.objects.filter(key__in=pools).values_list("key", "name"))
    with ThreadPoolExecutor(max_workers=8) as pool:
        inside = any(key not in pools for key in keys)
        sandbox = pool.submit(check_sandbox) if inside else None
        answers = list(pool.map(lambda one: _answers(pools[one[0]][one[1]]), instances))
    found = [sandbox.result()] if sandbox else []
    for instance, is_up in zip(instances, answers, strict=True):
        found.append(_describe(instance, names[instance[0]], is_up, instance in shut))
    return found or [
        Check(
            gettext("Sites"), "bad", gettext("None of the chosen sites can be reached.")
        )
    ]


def _describe(instance: Instance, name: str, is_up: bool, is_shut: bool) -> Check:
    title = name_instance(name, instance[1])
    if is_shut:
        return Check(
            title, "warn", gettext("It is closed for a while: it kept failing.")
        )
    text = (
        gettext("It answers.")
        if is_up
        else gettext("It does not answer from this machine.")
    )
    return Check(title, "ok" if is_up else "warn", text)


def _answers(address: str) -> bool:
    try:
        answer = httpx.get(address, timeout=SITE_TIMEOUT_S, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return answer.status_code < 500
