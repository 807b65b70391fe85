"""The set-up page of a site: its instances, who holds them, what can be done."""

from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.models import Site, SiteInstance
from curriculum.services import add_site_instance
from rollouts.models import SiteCondition, Trajectory
from tests.factories import SiteFactory, TaskFactory, TrajectoryFactory
from tests.webrl_site.conftest import SignIn


@pytest.fixture
def forum(db: None, settings: Any) -> Site:
    settings.SITE_RESETS = json.dumps(
        {"reddit": {"command": ["reset", "{number}"], "healthy": "{address}/"}}
    )
    site = SiteFactory(
        key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://one.lab/"
    )
    add_site_instance(key="reddit", url="http://two.lab/")
    return site


def page_of(site: Site) -> str:
    return f"/curriculum/sites/{site.pk}/"


def test_the_page_shows_each_instance_and_who_holds_it(forum: Site, sign_in: SignIn):
    task = TaskFactory(site=forum, spec={"sites": ["reddit"]})
    held = TrajectoryFactory(
        task=task, status=Trajectory.Status.RUNNING, site_instances={"reddit": 2}
    )

    page = sign_in("annotator").get(page_of(forum))

    one, two = page.context["instances"]
    assert (one.address, list(one.holders)) == ("http://one.lab/", [])
    assert [holder.trajectory_id for holder in two.holders] == [held.pk]
    assert f'href="/rollouts/trajectories/{held.pk}/"' in page.content.decode() or (
        str(held.pk) in page.content.decode()
    )


def test_the_page_shows_what_changed_and_what_is_wrong(forum: Site, sign_in: SignIn):
    SiteCondition.objects.create(
        site=forum, number=2, changes=3, reset_wanted_at="2030-01-01T00:00:00Z"
    )

    page = sign_in("annotator").get(page_of(forum)).content.decode()

    assert "3 episodes" in page
    assert "Reddit #2 has been due for a reset since" in page


def test_an_administrator_adds_and_removes_instances(forum: Site, sign_in: SignIn):
    admin = sign_in("admin")

    added = admin.post(
        f"{page_of(forum)}instances/add/", {"url": "http://three.lab/"}, follow=True
    )
    assert "http://three.lab/" in added.content.decode()
    removed = admin.post(
        f"{page_of(forum)}instances/remove/", {"number": "3"}, follow=True
    )

    assert "Reddit #3 gets no more episodes." in removed.content.decode()
    assert SiteInstance.objects.get(number=3).base_url == ""


def test_an_address_that_is_none_is_refused(forum: Site, sign_in: SignIn):
    page = sign_in("admin").post(
        f"{page_of(forum)}instances/add/", {"url": "ftp://x/"}, follow=True
    )

    assert "must be an http(s) address" in page.content.decode()
    assert SiteInstance.objects.count() == 1


def test_an_instance_that_is_not_there_is_not_removed(forum: Site, sign_in: SignIn):
    url = f"{page_of(forum)}instances/remove/"

    for number in ("1", "7"):
        page = sign_in("admin").post(url, {"number": number}, follow=True)
        assert f"Reddit has no instance {number}." in page.content.decode()
        assert "gets no more episodes" not in page.content.decode()


@pytest.mark.parametrize("what", ["add", "remove"])
def test_only_administrators_say_where_the_agent_may_go(
    forum: Site, sign_in: SignIn, what: str
):
    client = sign_in("researcher")

    assert client.post(f"{page_of(forum)}instances/{what}/").status_code == 403
    assert "/instances/" not in client.get(page_of(forum)).content.decode()


def test_a_researcher_resets_one_instance(forum: Site, sign_in: SignIn):
    page = sign_in("researcher").post(
        f"{page_of(forum)}reset/", {"number": "2"}, follow=True
    )

    assert "Reddit #2 will be reset once no episode uses it." in page.content.decode()
    assert SiteCondition.objects.get(reset_wanted_at__isnull=False).number == 2


def test_a_site_of_the_sandbox_needs_no_set_up(sign_in: SignIn):
    page = sign_in("annotator").get(page_of(SiteFactory(key="atlas")))

    assert "there is nothing to set up" in page.content.decode()
