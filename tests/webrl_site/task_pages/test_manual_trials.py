"""Trials by hand against the real sandbox, in its own process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from curriculum.access.roles import ROLE_ANNOTATOR
from curriculum.models import Site, Task
from rollouts.sites.sandbox.background import Sandbox, running_sandbox
from rollouts.sites.sandbox.catalog import load_tasks
from tests.factories import SiteFactory, TaskFactory, UserFactory
from webrl_site.task_pages import manual_trials

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with running_sandbox() as running:
        yield running


@pytest.fixture(autouse=True)
def served(settings: Any, sandbox: Sandbox) -> None:
    settings.SANDBOX_CONTROL_URL = sandbox.control_url


def make_task(kind: str) -> Task:
    spec = next(
        task
        for task in load_tasks("train")
        if task["sites"] == ["shop"] and task["eval"]["eval_types"] == [kind]
    )
    site = SiteFactory(key="shop", placeholder="__SHOP__")
    return TaskFactory(site=site, spec=spec, start_url=spec["start_url"])


def visit(url: str, address: str) -> None:
    """Go to a page as a browser does."""
    base = httpx.URL(url)
    local = base.copy_with(host="127.0.0.1").join(address)
    headers = {"host": base.netloc.decode(), "sec-fetch-mode": "navigate"}
    httpx.get(local, headers=headers, trust_env=False)


def test_the_right_answer_solves_a_task() -> None:
    task = make_task("string_match")
    sealed = manual_trials.start(task)
    right = task.spec["eval"]["reference_answers"]["exact_match"]
    assert manual_trials.check(task, sealed, "no idea").verdict.outcome is False
    assert manual_trials.check(task, sealed, right).verdict.outcome is True


def test_the_last_page_that_was_gone_to_counts() -> None:
    task = make_task("url_match")
    sealed = manual_trials.start(task)
    (start,) = manual_trials.show(task, sealed).starts
    assert manual_trials.check(task, sealed, "").verdict.outcome is False
    visit(start, task.spec["eval"]["reference_url"].replace("__SHOP__", ""))
    assert manual_trials.check(task, sealed, "").verdict.outcome is True


def test_a_change_that_was_not_made_is_named() -> None:
    task = make_task("state_match")
    result = manual_trials.check(task, manual_trials.start(task), "")
    assert result.verdict.outcome is False
    assert "differs" in result.verdict.checks[0].why


def test_each_trial_has_a_site_of_its_own() -> None:
    task = make_task("string_match")
    first, second = (
        manual_trials.show(task, manual_trials.start(task)) for _ in range(2)
    )
    assert first.starts != second.starts


def test_a_seal_cannot_be_made_up_or_carried_to_another_task() -> None:
    task = make_task("string_match")
    sealed = manual_trials.start(task)
    with pytest.raises(manual_trials.TrialError, match="over"):
        manual_trials.show(task, sealed[:-1] + "x")
    with pytest.raises(manual_trials.TrialError, match="another task"):
        manual_trials.show(make_task("url_match"), sealed)


def test_an_external_site_cannot_be_tried() -> None:
    task = TaskFactory(site=SiteFactory(key="wiki", kind=Site.Kind.EXTERNAL), spec={})
    with pytest.raises(manual_trials.TrialError, match="Only tasks of the sandbox"):
        manual_trials.start(task)


def test_a_sandbox_that_does_not_answer_is_said(settings: Any) -> None:
    settings.SANDBOX_CONTROL_URL = "http://127.0.0.1:9"
    with pytest.raises(manual_trials.TrialError, match="does not answer"):
        manual_trials.start(make_task("string_match"))


def test_a_person_tries_a_task_on_the_page(client: Client) -> None:
    task = make_task("string_match")
    user = User.objects.create_user("ann")
    user.groups.create(name=ROLE_ANNOTATOR)
    client.force_login(user)
    url = f"/curriculum/{task.pk}/try/"

    started = client.post(url, {"start": "yes"})
    page = client.get(started["Location"]).content.decode()
    sealed = re.search(r'name="trial" value="([^"]+)"', page)
    assert sealed is not None
    right = task.spec["eval"]["reference_answers"]["exact_match"]
    checked = client.post(url, {"trial": sealed[1], "answer": right})

    assert "Open Shop" in page
    assert "Solved" in checked.content.decode()


def test_an_answer_stays_where_the_sandbox_does_not_answer(
    client: Client, settings: Any
) -> None:
    task = make_task("string_match")
    client.force_login(UserFactory(roles=["annotator"]))
    sent = {"trial": manual_trials.start(task), "answer": "Tina, twice"}
    settings.SANDBOX_CONTROL_URL = "http://127.0.0.1:9"

    page = client.post(f"/curriculum/{task.pk}/try/", sent).content.decode()

    assert "does not answer" in page
    assert 'value="Tina, twice"' in page
    assert f'value="{sent["trial"]}"' in page


def test_the_page_leads_back_to_the_task_and_to_the_desk(client: Client) -> None:
    task = make_task("url_match")
    client.force_login(UserFactory(roles=["annotator"]))

    seen = client.get(f"/curriculum/{task.pk}/try/").content.decode()

    assert f'class="button" href="/curriculum/{task.pk}/"' in seen
    assert 'class="button" href="/review/"' in seen


def test_a_broken_seal_is_said_on_the_page(client: Client) -> None:
    task = make_task("string_match")
    user = User.objects.create_user("ann")
    user.groups.create(name=ROLE_ANNOTATOR)
    client.force_login(user)
    page = client.get(f"/curriculum/{task.pk}/try/?trial=nonsense").content.decode()
    assert "This trial is over" in page
    assert 'name="start"' in page
