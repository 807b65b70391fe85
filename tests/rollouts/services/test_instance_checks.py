"""Looks at instances as rows: asked for, written down, and what follows."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Site
from curriculum.rules.site_use import SiteUse
from curriculum.services import add_site_instance, remove_site_instance
from rollouts import services
from rollouts.browser.hosting.site_check import Finding
from rollouts.models import InstanceCheck, SiteCondition
from rollouts.selectors.instances.checks import (
    find_shared_cookies,
    list_late_checks,
    list_unfit,
)
from rollouts.services.instances.checks import Look
from tests.factories import SiteFactory
from tests.loopback import serving

pytestmark = pytest.mark.django_db

FINE = Finding(True, is_signed_in=True, cookies=(("PHPSESSID", "/"),))
PER_TASK = SiteUse()


@pytest.fixture
def forum(settings: Any) -> Site:
    settings.SITE_SIGN_INS = settings.SITE_RESETS = ""
    return make_site("reddit", "http://lab:9999/")


def make_site(key: str, url: str) -> Site:
    site: Site = SiteFactory(key=key, kind=Site.Kind.EXTERNAL, base_url=url)
    return site


def find(*findings: Finding) -> Look:
    return lambda *_: findings


def check(site: Site, *findings: Finding) -> int:
    services.request_check(site_id=site.pk)
    return services.check_site(site_id=site.pk, look=find(*findings))


def told(*keys: str, use: SiteUse = PER_TASK) -> list[tuple[str, str, int]]:
    return [(one.name, one.why, one.changes) for one in list_unfit(keys, use)]


def test_every_instance_is_looked_at(forum: Site) -> None:
    add_site_instance(key="reddit", url="http://lab:9998/")
    seen: list[Sequence[str]] = []

    def look(site: str, urls: Sequence[str], *_: object) -> list[Finding]:
        seen.append(urls)
        return [FINE, Finding(False, "It answered 502.")]

    assert services.request_check(site_id=forum.pk) == 2
    assert services.check_site(site_id=forum.pk, look=look) == 2

    assert seen == [["http://lab:9999/", "http://lab:9998/"]]
    assert told("reddit") == [("Reddit #2", "It answered 502.", 0)]
    first = InstanceCheck.objects.get(number=1)
    assert (first.answers, first.is_signed_in, first.wanted_at) == (True, True, None)


def test_nobody_looks_twice_where_nobody_asked_again(forum: Site) -> None:
    check(forum, FINE)

    assert services.check_site(site_id=forum.pk, look=find()) == 0


def test_a_look_that_is_asked_for_meanwhile_stays_wanted(forum: Site) -> None:
    def look(*_: object) -> list[Finding]:
        services.request_check(site_id=forum.pk)
        return [FINE]

    services.request_check(site_id=forum.pk)
    services.check_site(site_id=forum.pk, look=look)

    assert InstanceCheck.objects.get().wanted_at is not None


def test_a_check_that_no_worker_carries_out_is_late_after_a_while(forum: Site) -> None:
    services.request_check(site_id=forum.pk)
    assert list_late_checks(60) == []
    ask_long_ago()
    assert list_late_checks(60) == [forum.pk]
    services.check_site(site_id=forum.pk, look=find(FINE))

    assert list_late_checks(60) == []


def test_a_check_of_an_instance_that_was_removed_is_not_late(forum: Site) -> None:
    add_site_instance(key="reddit", url="http://lab:9998/")
    services.request_check(site_id=forum.pk)
    remove_site_instance(key="reddit", number=2)
    ask_long_ago()
    services.check_site(site_id=forum.pk, look=find(FINE))

    assert list_late_checks(60) == []


def ask_long_ago() -> None:
    long_ago = timezone.now() - dt.timedelta(hours=1)
    InstanceCheck.objects.update(wanted_at=long_ago)


def test_a_look_that_breaks_says_so_and_blames_no_site(forum: Site) -> None:
    def look(*_: object) -> list[Finding]:
        raise ZeroDivisionError

    services.request_check(site_id=forum.pk)
    services.check_site(site_id=forum.pk, look=look)

    row = InstanceCheck.objects.get()
    assert row.answers is None
    assert "ZeroDivisionError" in row.answers_why
    assert told("reddit") == []


def set_first_state(settings: Any, first: object) -> None:
    recipe = {"command": ["true"], "healthy": ["true"], "first_state": first}
    settings.SITE_RESETS = json.dumps({"reddit": recipe})


@pytest.mark.parametrize(("command", "is_at_first"), [("true", True), ("false", False)])
def test_a_command_tells_whether_a_site_is_as_at_first(
    forum: Site, settings: Any, command: str, is_at_first: bool
) -> None:
    set_first_state(settings, [command])

    check(forum, FINE)

    assert InstanceCheck.objects.get().is_at_first is is_at_first


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("127 posts", []),
        (
            "128 posts",
            [("Reddit", "The text that first_state names is not there. Reset it.", 0)],
        ),
    ],
)
def test_a_text_on_a_page_tells_it(
    forum: Site, settings: Any, text: str, found: Any
) -> None:
    with serving(lambda *_: (200, "<p>127 posts</p>")) as url:
        set_first_state(settings, {"url": url, "contains": text})
        check(forum, FINE)

    assert told("reddit") == found


def test_a_reset_ends_what_was_found_of_the_state(forum: Site, settings: Any) -> None:
    set_first_state(settings, ["false"])
    check(forum, FINE)
    services.request_reset(key="reddit")

    services.reset_site(site_id=forum.pk, lease_s=10, act=lambda *_: None)

    assert told("reddit") == []


def test_a_run_that_would_not_reset_what_others_changed_is_told(
    forum: Site, settings: Any
) -> None:
    set_first_state(settings, ["true"])
    SiteCondition.objects.create(site=forum, changes=3)

    assert told("reddit", use=SiteUse(every=20)) == [("Reddit", "", 3)]
    assert told("reddit", use=PER_TASK) == []
    assert told("reddit", use=SiteUse(every=None)) == []


def test_sites_on_one_host_with_a_cookie_of_one_name_are_found(forum: Site) -> None:
    shop = make_site("shopping", "http://lab:7770/")
    away = make_site("gitlab", "http://other:8023/")
    for site in (forum, shop, away):
        check(site, FINE)

    (shared,) = find_shared_cookies(["gitlab", "reddit", "shopping"])

    assert (shared.sites, shared.host) == (("Reddit", "Shopping"), "lab")
    assert shared.names == ("PHPSESSID",)


def test_a_cookie_of_another_path_is_another_cookie(forum: Site) -> None:
    admin = make_site("shopping_admin", "http://lab:7780/admin")
    check(forum, FINE)
    check(admin, Finding(True, cookies=(("PHPSESSID", "/admin"),)))

    assert find_shared_cookies(["reddit", "shopping_admin"]) == []
