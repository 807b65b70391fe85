from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from tests.factories import UserFactory
from webrl_site.server.middleware import OneOriginMiddleware, SecurityHeadersMiddleware


def answer(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


def visit(middleware: Any, method: str = "get", **extra: Any) -> HttpResponse:
    request = getattr(RequestFactory(), method)("/page/?x=1", **extra)
    return middleware(request)


def test_the_dashboard_runs_no_inline_script() -> None:
    policy = visit(SecurityHeadersMiddleware(answer))["Content-Security-Policy"]

    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["script-src"] == "'self'"
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert rules["frame-src"] == "http://replay.testserver"
    assert "unsafe" not in policy.replace("style-src 'self' 'unsafe-inline'", "")


def test_a_view_keeps_its_own_policy() -> None:
    def own(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={"Content-Security-Policy": "sandbox"})

    response = visit(SecurityHeadersMiddleware(own))
    assert response["Content-Security-Policy"] == "sandbox"


def test_what_only_one_user_may_see_is_not_stored(db: None) -> None:
    middleware = SecurityHeadersMiddleware(answer)
    request = RequestFactory().get("/")
    assert "Cache-Control" not in middleware(request)
    request.user = UserFactory()

    assert middleware(request)["Cache-Control"] == "no-store"


@pytest.mark.parametrize("host", ["testserver", "replay.testserver"])
def test_the_two_known_hosts_are_served(host: str) -> None:
    assert visit(OneOriginMiddleware(answer), HTTP_HOST=host).status_code == 200


def test_another_port_of_a_known_host_is_sent_to_the_dashboard() -> None:
    response = visit(OneOriginMiddleware(answer), HTTP_HOST="testserver:8001")

    assert response.status_code == 302
    assert response["Location"] == "http://testserver/page/?x=1"


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
@pytest.mark.parametrize("host", ["10.0.0.7:8000", "testserver:8000"])
def test_a_monitor_is_answered_at_any_address(
    host: str, path: str, client: Client, settings: Any, db: None
) -> None:
    settings.METRICS_TOKEN = "a token of thirty letters, no less"
    headers = {"Host": host, "Authorization": f"Bearer {settings.METRICS_TOKEN}"}

    assert client.get(path, headers=headers).status_code == 200


def test_other_pages_are_not_answered_at_an_unknown_address(client: Client) -> None:
    assert client.get("/login/", headers={"Host": "10.0.0.7"}).status_code == 400


def test_the_replay_origin_tells_monitors_nothing(client: Client) -> None:
    answer = client.get("/healthz", headers={"Host": "replay.testserver"})
    assert answer.status_code == 404


def test_a_form_for_another_host_is_refused() -> None:
    response = visit(OneOriginMiddleware(answer), "post", HTTP_HOST="testserver:1")

    assert response.status_code == 400


def test_nul_in_an_address_is_refused(client: Client, db: None) -> None:
    assert client.get("/sign-in/?next=%00").status_code == 400


def test_a_percent_sign_before_two_zeros_is_no_nul(client: Client, db: None) -> None:
    assert client.get("/sign-in/?next=%2500").status_code == 200


def test_nul_in_a_form_is_refused_and_explained(client: Client, db: None) -> None:
    answer = client.post("/sign-in/", {"username": "ann\0", "password": "x"})

    assert answer.status_code == 400
    assert "go back and remove them" in answer.text
