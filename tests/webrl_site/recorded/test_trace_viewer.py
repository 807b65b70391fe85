"""The origin of traces: the viewer's files, signed traces, and nothing of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as all_settings
from django.core import signing
from django.test import Client

from rollouts.artifacts import TRACE_SUFFIX, store
from rollouts.models import Trajectory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn
from webrl_site.recorded.trace_viewer import SALT, viewer_address

HOST = "traces.testserver"


@pytest.fixture
def traced(example: Example) -> Trajectory:
    row = example.trajectory
    row.trace = store(Path(all_settings.ARTIFACTS_DIR), b"a trace", TRACE_SUFFIX)
    row.save(update_fields=["trace"])
    return row


def get(path: str) -> Any:
    return Client().get(path, headers={"host": HOST})


def test_the_replay_leads_to_the_viewer_with_a_signed_address(
    sign_in: SignIn, traced: Trajectory
) -> None:
    client = sign_in("annotator")
    assert "Open trace" in client.get(f"/trajectories/{traced.pk}/").content.decode()
    response = client.get(f"/trajectories/{traced.pk}/trace/")
    assert response["Location"].startswith(f"http://{HOST}/viewer/index.html?trace=")


def test_an_episode_without_a_trace_offers_none(
    sign_in: SignIn, example: Example
) -> None:
    client, pk = sign_in("annotator"), example.trajectory.pk
    assert "Open trace" not in client.get(f"/trajectories/{pk}/").content.decode()
    assert client.get(f"/trajectories/{pk}/trace/").status_code == 404


def test_a_visitor_gets_no_signed_address(traced: Trajectory) -> None:
    response = Client().get(f"/trajectories/{traced.pk}/trace/")
    assert response["Location"].startswith("/sign-in/")


def test_a_signed_address_gives_the_trace(traced: Trajectory) -> None:
    token = signing.dumps(traced.trace, salt=SALT)
    assert get(f"/traces/{token}.zip").content == b"a trace"


def test_an_address_that_ran_out_gives_nothing(
    traced: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = signing.dumps(traced.trace, salt=SALT)
    monkeypatch.setattr("webrl_site.recorded.trace_viewer.LASTS_S", -1)
    assert get(f"/traces/{token}.zip").status_code == 403


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "a" * 64])
def test_an_unsigned_address_gives_nothing(token: str) -> None:
    assert get(f"/traces/{token}.zip").status_code == 403


def test_a_name_that_is_signed_for_something_else_gives_nothing(
    traced: Trajectory,
) -> None:
    token = signing.dumps(traced.trace, salt="another")
    assert get(f"/traces/{token}.zip").status_code == 403


def test_the_viewer_is_served_under_a_strict_policy() -> None:
    response = get("/viewer/index.html")
    policy = response["Content-Security-Policy"]
    assert response.status_code == 200
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "'unsafe-inline'" not in policy.split("style-src")[0]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/sign-in/",
        "/api/phases/",
        "/static/app.js",
        f"/recorded/{'a' * 64}.html",
        "/viewer/../../../package.json",
        "/viewer/%2e%2e/%2e%2e/%2e%2e/package.json",
        "/viewer/",
        "/viewer/%00",
        f"/viewer/{'a' * 300}",
    ],
)
def test_nothing_else_is_on_that_origin(path: str) -> None:
    assert get(path).status_code == 404


def test_no_cookie_is_ever_set_there() -> None:
    assert not get("/viewer/index.html").cookies


def test_the_dashboard_serves_neither_viewer_nor_trace(traced: Trajectory) -> None:
    token = signing.dumps(traced.trace, salt=SALT)
    for path in ("/viewer/index.html", f"/traces/{token}.zip"):
        assert Client().get(path).status_code == 404


def test_without_an_origin_nothing_is_offered(
    sign_in: SignIn, traced: Trajectory, settings: Any
) -> None:
    settings.TRACE_ORIGIN = ""
    page = sign_in("annotator").get(f"/trajectories/{traced.pk}/").content.decode()
    assert "Open trace" not in page


def test_the_address_names_the_trace_origin() -> None:
    assert viewer_address("a" * 64).count(HOST) == 2
