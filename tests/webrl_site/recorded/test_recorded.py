from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from rollouts.artifacts import store, store_html

REPLAY_HOST = "replay.testserver"
POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "font-src data:; form-action 'none'; base-uri 'none'"
)


@pytest.fixture
def page() -> str:
    html = '<html data-scroll="0,0"><body><script>alert(1)</script>A mug</body></html>'
    return f"/recorded/{store_html(Path(settings.ARTIFACTS_DIR), html)}.html"


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


def test_another_host_is_never_served(page: str):
    response = Client().get(page, headers={"Host": "evil.example"})

    assert response.status_code in (302, 400)
    assert b"A mug" not in response.content


@pytest.mark.parametrize(
    "name", ["0" * 64, "../../secret_key", "a" * 63, "A" * 64, "0" * 64 + "%00"]
)
def test_unknown_names_are_not_found(name: str):
    url = f"/recorded/{name}.html"

    assert Client().get(url, headers={"Host": REPLAY_HOST}).status_code == 404


def test_a_page_is_shown_where_the_agent_had_scrolled_to():
    html = '<!doctype html><html lang="en" data-scroll="0,640"><body>Far down</body>'
    digest = store_html(Path(settings.ARTIFACTS_DIR), html)

    response = Client().get(f"/recorded/{digest}.html", headers={"Host": REPLAY_HOST})

    assert "top:-640px" in response.content.decode()


def test_a_screenshot_is_an_image_and_nothing_else():
    digest = store(Path(settings.ARTIFACTS_DIR), b"\xff\xd8 not really", ".jpg")

    response = Client().get(f"/recorded/{digest}.jpg", headers={"Host": REPLAY_HOST})

    assert response["Content-Type"] == "image/jpeg"
    assert response["Content-Security-Policy"] == POLICY


@pytest.mark.django_db
def test_the_dashboard_forbids_scripts_of_others_and_frames_of_others():
    response = Client().get("/sign-in/")

    policy = response["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert f"frame-src {settings.REPLAY_ORIGIN}" in policy
    assert "default-src 'none'" in policy
