"""Requests of an episode, recorded in real Chromium for the package."""

from __future__ import annotations

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import Recording
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.types import TaskSpec
from tests.rollouts.browser.tiny_site import do, redirect
from tests.rollouts.browser.verified.helpers import ANSWER, REQUEST, FakeScorer, spec

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
FORM = (
    "<link rel=stylesheet href=/a.css><form method=post action=/save>"
    "<input name=title value=Lamp><button>Save</button></form>"
)
EXIT = 'exit(message="{}")'


def verified_task(*rules):
    return TaskSpec(1, "Save it", "__SHOP__/", ("shop",), spec(*rules))


@pytest.fixture
def scorer():
    return FakeScorer()


@pytest_asyncio.fixture(loop_scope="session")
async def environment(pool, site, scorer):
    host = ExternalHost({"shop": site.url})
    environment = BrowserEnvironment(pool, host, verified=scorer)
    yield environment
    await environment.close()


@pytest.mark.parametrize("recording", [Recording(), Recording(traces="all")])
async def test_what_the_browser_sent_reaches_the_package(
    environment, serve, scorer, recording, tmp_path
):
    site = serve(FORM, save=redirect("/done"))
    recording = Recording(traces=recording.traces, trace_folder=tmp_path)
    await environment.reset(verified_task(ANSWER, REQUEST), recording=recording)
    await environment.step(do("Click", 1))
    _, reward, *_ = await environment.step(EXIT)
    assert reward == 1.0
    sent = {
        (
            entry["request"]["method"],
            entry["request"]["url"].removeprefix(site.url),
        ): entry
        for entry in scorer.requests
    }
    assert list(sent) == [("GET", "/"), ("POST", "/save"), ("GET", "/done")]
    saved = sent["POST", "/save"]
    assert saved["request"]["postData"]["text"] == "title=Lamp"
    assert saved["response"]["status"] == 302
    assert "Lamp" in sent["GET", "/"]["response"]["content"]["text"]


async def test_the_record_of_requests_is_removed_with_the_episode(
    environment, serve, scorer
):
    serve(FORM)
    await environment.reset(verified_task(ANSWER, REQUEST))
    await environment.step(EXIT)
    path = scorer.cases[0].requests
    assert path.is_file()
    assert path.parent.stat().st_mode & 0o077 == 0
    await environment.close()
    assert not path.parent.exists()


async def test_nothing_is_recorded_for_a_task_that_does_not_ask(
    environment, serve, scorer
):
    serve(FORM)
    await environment.reset(verified_task(ANSWER))
    await environment.step(EXIT)
    assert scorer.cases[0].requests is None
