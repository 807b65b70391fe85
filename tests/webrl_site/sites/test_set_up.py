"""The steps of a site's set-up, as its page shows them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.models import Site
from rollouts.models import InstanceCheck
from tests.factories import SiteFactory
from tests.webrl_site.conftest import SignIn
from webrl_site import celery


@pytest.fixture
def forum(db: None, settings: Any) -> Site:
    settings.SITE_SIGN_INS = settings.SITE_RESETS = ""
    return make_site("reddit", "http://lab:9999/")


def make_site(key: str, url: str) -> Site:
    site: Site = SiteFactory(key=key, kind=Site.Kind.EXTERNAL, base_url=url)
    return site


def states(sign_in: SignIn, site: Site) -> dict[str, str]:
    page = sign_in("researcher").get(f"/curriculum/sites/{site.pk}/")
    return {check.name: check.state for check in page.context["checks"]}


def test_a_new_site_says_what_is_missing(sign_in: SignIn, db: None):
    site = make_site("reddit", "")

    assert states(sign_in, site)["Address"] == "warn"


def test_each_step_follows_from_what_is_set(
    forum: Site, sign_in: SignIn, settings: Any
):
    before = states(sign_in, forum)
    assert before == {
        "Address": "ok",
        "Sign-in": "idle",
        "Reset": "warn",
        "Check": "warn",
    }

    settings.SITE_SIGN_INS = json.dumps({"reddit": {"user": "a", "password": "b"}})
    settings.SITE_RESETS = json.dumps(
        {"reddit": {"command": ["true"], "healthy": ["true"]}}
    )
    InstanceCheck.objects.create(
        site=forum, number=1, answers=True, checked_at="2030-01-01T00:00:00Z"
    )
    assert set(states(sign_in, forum).values()) == {"ok"}


def test_hosts_that_it_may_not_reach_are_a_warning(forum: Site, sign_in: SignIn):
    why = "Its start page asks for tiles.lab:8080."
    InstanceCheck.objects.create(
        site=forum,
        number=1,
        answers=True,
        answers_why=why,
        checked_at="2030-01-01T00:00:00Z",
    )
    assert states(sign_in, forum)["Check"] == "warn"
    page = sign_in("researcher").get(f"/curriculum/sites/{forum.pk}/")
    assert why in page.content.decode()


def test_a_researcher_asks_for_a_look(forum: Site, sign_in: SignIn):
    url = f"/curriculum/sites/{forum.pk}/check/"

    text = sign_in("researcher").post(url, follow=True).content.decode()

    assert "Reddit is being checked." in text
    assert 'hx-trigger="every 2s"' in text
    assert InstanceCheck.objects.get().wanted_at is not None


def test_annotators_ask_for_none(forum: Site, sign_in: SignIn):
    url = f"/curriculum/sites/{forum.pk}/check/"
    client = sign_in("annotator")

    assert client.post(url).status_code == 403
    assert url not in client.get(url.removesuffix("check/")).content.decode()


def test_what_a_look_found_is_shown(forum: Site, sign_in: SignIn):
    InstanceCheck.objects.create(
        site=forum,
        number=1,
        answers=True,
        is_signed_in=False,
        signed_in_why="<b>No.</b>",
        checked_at="2030-01-01T00:00:00Z",
    )

    page = sign_in("annotator").get(f"/curriculum/sites/{forum.pk}/").content.decode()

    assert "Reddit: &lt;b&gt;No.&lt;/b&gt;" in page
    assert "not signed in" in page


def test_a_shared_cookie_is_told_on_both_pages(forum: Site, sign_in: SignIn):
    shop = make_site("shopping", "http://lab:7770/")
    for site in (forum, shop):
        InstanceCheck.objects.create(site=site, number=1, cookies=[["PHPSESSID", "/"]])

    for site in (forum, shop):
        page = sign_in("annotator").get(f"/curriculum/sites/{site.pk}/")
        text = page.content.decode()
        assert "Reddit and Shopping are both on lab" in text
        assert "PHPSESSID" in text


def test_looks_go_to_the_worker_that_has_a_browser_to_spare():
    route = celery.app.amqp.router.route({}, "rollouts.tasks.check_site")

    assert route["queue"].name == "takeover"
