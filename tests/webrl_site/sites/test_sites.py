from __future__ import annotations

import datetime as dt
import json
from typing import Any

from django.utils import timezone

from curriculum.models import Site
from rollouts.models import SiteCondition
from tests.factories import SiteFactory, TaskFactory
from tests.webrl_site.conftest import SignIn


def test_the_sites_are_listed_with_their_tasks(sign_in: SignIn):
    page = sign_in("annotator").get("/curriculum/sites/")
    (shop,) = [one for one in page.context["sites"] if one.site.key == "shop"]
    assert dict(shop.splits)["Train"] > 0
    assert shop.example is not None
    assert shop.can_be_reached


def test_what_runs_use_and_what_they_leave_are_all_the_tasks(sign_in: SignIn):
    site = SiteFactory(key="atlas")
    TaskFactory.create_batch(2, site=site)
    TaskFactory(site=site, status="filtered")
    TaskFactory(site=site, status="shortlisted")

    page = sign_in("annotator").get("/curriculum/sites/")

    assert "2 in use" in page.content.decode()
    assert "2 filtered out, rejected or waiting" in page.content.decode()


def test_a_sites_page_leads_to_its_tasks_and_to_one_to_try(sign_in: SignIn):
    site = SiteFactory(key="atlas")
    TaskFactory(site=site, split="test")
    task = TaskFactory(site=site, split="train")

    seen = sign_in("annotator").get(f"/curriculum/sites/{site.pk}/").content.decode()

    assert "/curriculum/?site=atlas" in seen
    assert f"/curriculum/{task.pk}/try/" in seen


def test_an_external_sites_page_offers_no_task_to_try(sign_in: SignIn):
    site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL)
    TaskFactory(site=site, split="train")

    seen = sign_in("annotator").get(f"/curriculum/sites/{site.pk}/").content.decode()

    assert "/curriculum/?site=reddit" in seen
    assert "/try/" not in seen


def test_an_external_site_without_an_address_says_so(sign_in: SignIn):
    SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL)
    admin = sign_in("admin").get("/curriculum/sites/").content.decode()
    assert "No address yet" in admin
    assert "Set its address" in admin
    other = sign_in("annotator").get("/curriculum/sites/").content.decode()
    assert "Set its address" not in other


def wish(**fields: Any) -> Site:
    """An external forum that wants its reset."""
    site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://x/")
    fields = {"reset_wanted_at": timezone.now()} | fields
    SiteCondition.objects.create(site=site, **fields)
    return site


def test_what_keeps_a_site_from_its_episodes_is_said(sign_in: SignIn):
    wish(
        reset_failures=2,
        reset_error="<b>It</b> answered 502.",
        reset_next_at=timezone.now(),
    )
    page = sign_in("annotator").get("/curriculum/sites/").content.decode()
    assert "Reddit could not be reset, 2 times in a row" in page
    assert "&lt;b&gt;It&lt;/b&gt; answered 502." in page
    assert "Next attempt at" in page


def test_a_site_that_was_reset_says_when(sign_in: SignIn):
    wish(reset_wanted_at=None, last_reset_at=timezone.now())
    page = sign_in("annotator").get("/curriculum/sites/").content.decode()
    assert f"{timezone.localtime():%Y-%m-%d}" in page
    assert "has been due for a reset" not in page


def test_a_researcher_asks_for_a_reset(sign_in: SignIn, settings: Any):
    site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://x/")
    settings.SITE_RESETS = json.dumps(
        {"reddit": {"command": ["x"], "healthy": ["true"]}}
    )
    client = sign_in("researcher")
    url = f"/curriculum/sites/{site.pk}/reset/"
    assert url in client.get("/curriculum/sites/").content.decode()
    page = client.post(url, follow=True).content.decode()
    assert "Reddit will be reset once no episode uses it." in page
    assert "Reddit has been due for a reset since" in page


def test_a_site_without_a_reset_offers_none(sign_in: SignIn):
    site = wish()
    client = sign_in("researcher")
    url = f"/curriculum/sites/{site.pk}/reset/"
    assert url not in client.get("/curriculum/sites/").content.decode()
    assert "No reset is configured" in client.post(url, follow=True).content.decode()


def test_annotators_reset_nothing(sign_in: SignIn):
    url = f"/curriculum/sites/{wish().pk}/reset/"
    assert sign_in("annotator").post(url).status_code == 403


def test_a_mistake_in_the_settings_is_shown_and_the_page_stays(
    sign_in: SignIn, settings: Any
):
    settings.SITE_RESETS = "{"
    page = sign_in("researcher").get("/curriculum/sites/").content.decode()
    assert "SITE_RESETS is not JSON." in page


def close(**fields: Any) -> Site:
    now = timezone.now()
    fields = {"closed_at": now, "closed_until": now + dt.timedelta(minutes=1)} | fields
    return wish(reset_wanted_at=None, failures=5, failure_reason="502", **fields)


def test_a_closed_site_says_so_and_a_researcher_opens_it(sign_in: SignIn):
    site = close()
    client = sign_in("researcher")
    page = client.get("/curriculum/sites/").content.decode()
    assert "Reddit has been closed since" in page
    assert "Next attempt at" in page
    url = f"/curriculum/sites/{site.pk}/open/"
    assert url in page
    page = client.post(url, follow=True).content.decode()
    assert "Reddit is open." in page
    assert "Reddit has been closed since" not in page


def test_annotators_open_nothing(sign_in: SignIn):
    url = f"/curriculum/sites/{close().pk}/open/"
    assert sign_in("annotator").post(url).status_code == 403
    assert url not in sign_in("annotator").get("/curriculum/sites/").content.decode()


def test_failures_of_an_open_site_are_counted_for_all_to_see(sign_in: SignIn):
    close(closed_at=None, closed_until=None)
    page = sign_in("annotator").get("/curriculum/sites/").content.decode()
    assert "broke 5 in a row; the last: 502" in page


def test_administrators_add_sites_from_the_list(sign_in: SignIn):
    admin = sign_in("admin").get("/curriculum/sites/").content.decode()
    researcher = sign_in("researcher").get("/curriculum/sites/").content.decode()

    assert 'href="/admin/curriculum/site/add/"' in admin
    assert 'href="/admin/curriculum/site/add/"' not in researcher
