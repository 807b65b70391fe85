"""The hours that resets of external sites take."""

from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.models import Site
from curriculum.services import add_site_instance
from rollouts.models import SiteCondition
from tests.factories import SMALL, SiteFactory, TaskFactory
from tests.webrl_site.conftest import SignIn
from tests.webrl_site.runs.test_runs import form_data
from webrl_site.launch.site_forecast import SiteForecast, forecast_resets

CHANGES = {"eval": {"eval_types": ["program_html"]}}
READS = {"eval": {"eval_types": ["string_match"]}}


@pytest.fixture
def forum(db: None, settings: Any) -> Site:
    """A site on which three of four training tasks may change something."""
    settings.SITE_RESETS = json.dumps(
        {"reddit": {"command": ["reset", "{number}"], "healthy": "{address}/"}}
    )
    url = "http://one.lab/"
    site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url=url)
    TaskFactory.create_batch(3, site=site, spec=CHANGES)
    TaskFactory(site=site, spec=READS)
    return site


def forecast(collected: int, **rollout: Any) -> list[SiteForecast]:
    config = SMALL.to_json()
    config["rollout"] |= rollout
    return forecast_resets(config, collected=collected, measured=0, stages=3)


def rounded(found: SiteForecast) -> tuple[float, float]:
    low, high = found.hours
    return round(low, 6), round(high, 6)


def test_324_episodes_that_change_a_site_take_16_to_27_hours(forum: Site):
    (found,) = forecast(432)

    assert (found.changing, found.resets) == (324, 324)
    assert rounded(found) == (16.2, 27.0)
    assert not found.is_measured


def test_four_instances_take_a_quarter_of_the_time(forum: Site):
    for number in (2, 3, 4):
        add_site_instance(key="reddit", url=f"http://forum{number}.lab/")

    (found,) = forecast(432)

    assert rounded(found) == (4.05, 6.75)


@pytest.mark.parametrize(
    ("rollout", "resets"),
    [
        ({"reset_sites": "per_episodes", "episodes_per_reset": 100}, 4),
        ({"reset_sites": "per_phase"}, 3),
    ],
)
def test_other_rules_need_fewer_resets(forum: Site, rollout: Any, resets: int):
    (found,) = forecast(432, **rollout)

    assert found.resets == resets


def test_what_was_measured_goes_before_what_is_assumed(forum: Site):
    SiteCondition.objects.create(site=forum, last_reset_s=40.0)
    SiteCondition.objects.create(site=forum, number=2, last_reset_s=50.0)

    (found,) = forecast(432)

    assert found.is_measured
    assert found.reset_s == (45.0, 45.0)
    assert rounded(found) == (4.05, 4.05)


def test_a_site_that_is_never_reset_is_left_out(forum: Site, settings: Any):
    settings.SITE_RESETS = ""

    assert forecast(432) == []


def test_the_launch_page_shows_the_hours(forum: Site, sign_in: SignIn):
    client = sign_in("researcher")

    page = client.post("/runs/new/", form_data(check="yes"))

    (found,) = page.context["resets"]
    assert found.site == forum
    assert "Resets of external sites in a phase" in page.content.decode()
