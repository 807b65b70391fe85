"""A launch is refused on sites that a look has found wrong."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum.models import Phase, Run, Site
from rollouts.models import InstanceCheck
from tests.factories import RunFactory, SiteFactory, TaskFactory
from tests.webrl_site.conftest import SignIn
from webrl_site.launch.site_checks import check_sites

WHY = "It answered 502. Check its log and restart it."


@pytest.fixture
def run(db: None) -> Run:
    """A run on a forum whose newest look found it broken."""
    site = SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://x:9/")
    TaskFactory(site=site)
    found(answers=False, answers_why=WHY)
    made: Run = RunFactory()
    made.config["curriculum"]["sites"] = ["reddit"]
    made.save()
    return made


def found(**columns: Any) -> None:
    site = Site.objects.get(key="reddit")
    InstanceCheck.objects.update_or_create(site=site, number=1, defaults=columns)


def open_it(run: Run, sign_in: SignIn) -> str:
    answer = sign_in("researcher").post(f"/runs/{run.pk}/phases/", follow=True)
    return answer.content.decode()


def test_a_phase_is_not_opened_on_a_site_that_does_not_answer(
    run: Run, sign_in: SignIn
):
    page = open_it(run, sign_in)

    assert f"The sites are not ready. Reddit: {WHY} Then check them again." in page
    assert not Phase.objects.filter(run=run).exists()


def test_it_is_opened_once_a_look_found_all_well(run: Run, sign_in: SignIn):
    found(answers=True, answers_why="")

    open_it(run, sign_in)

    assert Phase.objects.filter(run=run).exists()


def test_a_run_on_other_sites_is_not_held_up(run: Run, sign_in: SignIn):
    run.config["curriculum"]["sites"] = ["shop"]
    run.save()
    TaskFactory(site__key="shop")

    open_it(run, sign_in)

    assert Phase.objects.filter(run=run).exists()


def test_the_launch_page_shows_what_is_wrong(run: Run):
    (check,) = check_sites(["reddit"])

    assert (check.name, check.state, check.text) == ("Reddit", "bad", WHY)
