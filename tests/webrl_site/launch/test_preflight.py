from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from curriculum.models import Site
from rollouts.browser.process.chromium_path import CHROMIUM_VARIABLE
from tests.factories import SMALL, SiteFactory, TaskFactory
from webrl_site.launch.preflight import (
    check_browser,
    check_launch,
    check_room,
    check_tasks,
    check_weights,
)
from webrl_site.launch.site_checks import check_sites

pytestmark = pytest.mark.django_db


@pytest.fixture
def address() -> Iterator[str]:
    """An external site that answers every request."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def config(**curriculum: Any) -> dict[str, Any]:
    made = SMALL.to_json()
    made["curriculum"] |= curriculum
    return made


def test_weights_that_can_be_read_show_their_digest():
    check = check_weights("Policy", "starter/policy")

    assert check.state == "ok"
    assert "digest" in check.text


def test_weights_that_are_not_there_are_bad():
    assert check_weights("Policy", "no/such").state == "bad"


def test_served_weights_are_not_asked():
    assert check_weights("Policy", "http://models.lab/v1#m").state == "idle"


def test_an_external_site_that_answers_is_fine(address: str):
    SiteFactory(key="mine", kind=Site.Kind.EXTERNAL, base_url=address)

    [check] = check_sites(["mine"])

    assert check.state == "ok"


def test_an_external_site_that_does_not_answer_is_named():
    SiteFactory(key="mine", kind=Site.Kind.EXTERNAL, base_url="http://127.0.0.1:9/")

    [check] = check_sites(["mine"])

    assert (check.name, check.state) == ("Mine", "warn")


def test_no_site_at_all_is_bad():
    assert [check.state for check in check_sites([])] == ["bad"]


def test_too_few_tasks_are_said_and_none_are_bad():
    none = check_tasks(config())
    TaskFactory()
    few = check_tasks(config())

    assert (none.state, few.state) == ("bad", "warn")


def test_enough_tasks_are_fine():
    TaskFactory()
    TaskFactory(split="test")

    assert check_tasks(config(tasks_per_phase=1)).state == "ok"


def test_a_browser_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, settings: Any
):
    settings.BROWSER_EXECUTABLE = ""
    monkeypatch.setenv(CHROMIUM_VARIABLE, "/nowhere/chromium")

    check = check_browser()

    assert check.state == "bad"
    assert "/nowhere/chromium" in check.text


def test_more_than_the_disk_has_is_bad():
    assert check_room(1e18).state == "bad"


def test_everything_is_looked_at():
    values = dict.fromkeys(("policy_uri", "critic_uri", "orm_uri"), "starter/policy")
    names = [one.name for one in check_launch({**values, "config": config()}, None)]

    assert names[:3] == ["Policy", "Critic", "Reward model"]
    assert names[-4:] == ["Browser", "Disk", "Workers", "Sweep"]
