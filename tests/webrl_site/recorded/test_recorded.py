from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.test import Client

from rollouts.artifacts import store, store_html
from tests.factories import UserFactory
from webrl_site.account.tokens import make_token
from webrl_site.recorded.signed_addresses import sign_address

REPLAY_HOST = "replay.testserver"
POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "font-src data:; form-action 'none'; base-uri 'none'"
)


@pytest.fixture
def page() -> str:
    html = '<html data-scroll="0,0"><body><script>alert(1)</script>A mug</body></html>'
    return sign(f"{store_html(Path(settings.ARTIFACTS_DIR), html)}.html")


def sign(name: str) -> str:
    return sign_address(name).removeprefix(settings.REPLAY_ORIGIN)


def test_a_recorded_page_is_served_under_a_sandboxing_policy(page: str):
    response = Client().get(page, headers={"Host": REPLAY_HOST})

    assert response.status_code == 200
    assert "A mug" in response.content.decode()
    assert response["Content-Security-Policy"] == POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in response["Cache-Control"]
    assert "X-Frame-Options" not in response
    assert not response.cookies


def test_the_dashboards_host_serves_no_recorded_page(page: str):
    assert Client().get(page).status_code == 404


@pytest.mark.parametrize(
    "url", ["/", "/sign-in/", "/admin/", "/api/schema/", "/static/app.css", "/review/"]
)
def test_the_replay_host_serves_nothing_else(url: str):
    response = Client().get(url, headers={"Host": REPLAY_HOST})

    assert response.status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda url: url.partition("?")[0], id="no key"),
        pytest.param(lambda url: f"{url}A", id="another signature"),
        pytest.param(lambda url: url.replace("key=2", "key=3"), id="another day"),
        pytest.param(lambda url: url.replace("key=", "key=%00"), id="a NUL"),
    ],
)
def test_an_address_that_nobody_was_shown_opens_nothing(change, page: str):
    response = Client().get(change(page), headers={"Host": REPLAY_HOST})

    assert response.status_code == 403
    assert b"A mug" not in response.content


def test_the_address_of_one_page_opens_no_other(page: str):
    other = store_html(Path(settings.ARTIFACTS_DIR), "<html>Another</html>")
    key = page.partition("?")[2]

    url = f"/recorded/{other}.html?{key}"
    assert Client().get(url, headers={"Host": REPLAY_HOST}).status_code == 403


def test_an_address_runs_out(page: str):
    with time_machine.travel(dt.datetime.now(dt.UTC) + dt.timedelta(days=3)):
        response = Client().get(page, headers={"Host": REPLAY_HOST})

    assert response.status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize(("scope", "status"), [("read", 200), ("review", 403)])
def test_a_program_reads_with_its_token(scope: str, status: int, page: str):
    user = UserFactory(roles=["annotator"])
    _, secret = make_token(user=user, name="x", scopes=[scope], days=1)
    headers = {"Host": REPLAY_HOST, "Authorization": f"Bearer {secret}"}

    bare = page.partition("?")[0]
    assert Client().get(bare, headers=headers).status_code == status


def test_another_host_is_never_served(page: str):
    response = Client().get(page, headers={"Host": "evil.example"})

    assert response.status_code in (302, 400)
    assert b"A mug" not in response.content


@pytest.mark.parametrize(
    "name", ["0" * 64, "../../secret_key", "a" * 63, "A" * 64, "0" * 64 + "%00"]
)
def test_unknown_names_are_not_found(name: str):
    url = sign(f"{name}.html")

    assert Client().get(url, headers={"Host": REPLAY_HOST}).status_code == 404


def test_a_page_is_shown_where_the_agent_had_scrolled_to():
    html = '<!doctype html><html lang="en" data-scroll="0,640"><body>Far down</body>'
    digest = store_html(Path(settings.ARTIFACTS_DIR), html)

    response = Client().get(sign(f"{digest}.html"), headers={"Host": REPLAY_HOST})

    assert "top:-640px" in response.content.decode()


def test_a_screenshot_is_an_image_and_nothing_else():
    digest = store(Path(settings.ARTIFACTS_DIR), b"\xff\xd8 not really", ".jpg")

    response = Client().get(sign(f"{digest}.jpg"), headers={"Host": REPLAY_HOST})

    assert response["Content-Type"] == "image/jpeg"
    assert response["Content-Security-Policy"] == POLICY


@pytest.mark.django_db
def test_the_dashboard_forbids_scripts_of_others_and_frames_of_others():
    response = Client().get("/sign-in/")

    policy = response["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert f"frame-src {settings.REPLAY_ORIGIN}" in policy
    assert "default-src 'none'" in policy
