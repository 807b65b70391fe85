"""Checks the sites of a launch, instance by instance."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
from django.utils.translation import gettext

from curriculum.models import Site
from curriculum.selectors.pools import list_instances
from curriculum.texts.saying import say
from rollouts.models import InstanceCheck
from rollouts.selectors.instances.checks import (
    SharedCookie,
    find_shared_cookies,
    list_troubles,
    map_checks,
)
from rollouts.selectors.instances.conditions import list_shut
from rollouts.selectors.sites import name_instance
from webrl_site.server.health import Check, answers_sandbox, describe_sandbox

SITE_TIMEOUT_S = 1.0


def check_sites(keys: Sequence[str]) -> list[Check]:
    """Ask the sandbox and each instance of external sites, all at the same time."""
    pools = list_instances()
    shut = list_shut()
    instances = [(key, n) for key in keys for n in pools.get(key, ())]
    names = dict(Site.objects.filter(key__in=pools).values_list("key", "name"))
    with ThreadPoolExecutor(max_workers=8) as pool:
        inside = any(key not in pools for key in keys)
        sandbox = pool.submit(answers_sandbox) if inside else None
        answers = list(pool.map(lambda one: _answers(pools[one[0]][one[1]]), instances))
    found = [describe_sandbox(is_up=sandbox.result())] if sandbox else []
    checks = map_checks(keys)
    for instance, is_up in zip(instances, answers, strict=True):
        title = name_instance(names[instance[0]], instance[1])
        is_shut = instance in shut
        found.append(_describe(title, checks.get(instance), is_up, is_shut))
    found += [_tell_shared(one) for one in find_shared_cookies(keys)]
    return found or [
        Check(
            gettext("Sites"), "bad", gettext("None of the chosen sites can be reached.")
        )
    ]


def _describe(
    title: str, check: InstanceCheck | None, is_up: bool, is_shut: bool
) -> Check:
    troubles = list(list_troubles(check)) if check else []
    if troubles:
        return Check(title, "bad", " ".join(map(say, troubles)))
    if is_shut:
        text = gettext("It is closed temporarily because it kept failing.")
        return Check(title, "warn", text)
    if not is_up:
        return Check(title, "warn", gettext("It does not answer from this machine."))
    if check is None or check.checked_at is None:
        text = gettext("It answers. Check its sign-in and state on its page.")
        return Check(title, "ok", text)
    return Check(title, "ok", gettext("It answers, as at its last check."))


def _tell_shared(shared: SharedCookie) -> Check:
    return Check(gettext("Cookies"), "warn", say_shared(shared))


def say_shared(shared: SharedCookie) -> str:
    """Return which two sites end each other's sessions, and what to do."""
    first, second = shared.sites
    return gettext(
        "%(first)s and %(second)s are both on %(host)s and set the cookie %(names)s: a "
        "task on both is signed out of one. Give each a host name of its own."
    ) % {
        "first": first,
        "second": second,
        "host": shared.host,
        "names": ", ".join(shared.names),
    }


def _answers(address: str) -> bool:
    try:
        answer = httpx.get(address, timeout=SITE_TIMEOUT_S, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return answer.status_code < 500
