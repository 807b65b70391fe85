from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from rollouts.sites.kit.episodes import EpisodeStore
from rollouts.sites.kit.site_app import SiteListener
from rollouts.sites.oscar import pages as pages_module
from rollouts.sites.oscar.names import HEADER, TEMPLATE
from rollouts.sites.oscar.pages import MAX_BODY_BYTES, oscar_pages
from tests.rollouts.sites.oscar.tables import write_shop
from tests.rollouts.sites.visitor import call

Answer = Callable[[httpx.Request], httpx.Response]


def echo(request: httpx.Request) -> httpx.Response:
    """A shop that says what it was asked."""
    asked = {
        "method": request.method,
        "path": request.url.raw_path.decode(),
        "headers": request.headers.multi_items(),
        "body": request.content.decode(),
    }
    headers = [("set-cookie", "a=1"), ("set-cookie", "b=2"), ("keep-alive", "5")]
    return httpx.Response(200, json=asked, headers=headers)


class Visit:
    """One episode of a shop whose process is a function."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        write_shop(folder / TEMPLATE)
        site = oscar_pages(folder, httpx.MockTransport(answer))
        self.store = EpisodeStore({"oscar": site.new_changes})
        self.token = self.store.open(["oscar"])
        self._listener = SiteListener({"oscar": site}, self.store)

    def ask(self, method: str, path: str, **options) -> httpx.Response:
        url = f"http://oscar.{self.token}.localhost:8010{path}"
        return call(self._listener, method, url, **options)


@pytest.fixture
def visit(tmp_path):
    return Visit(tmp_path, echo)


def test_a_page_is_asked_of_the_shop_in_the_episodes_name(visit):
    asked = visit.ask("GET", "/search/?q=quiet%20river").json()
    headers = dict(asked["headers"])
    assert (asked["method"], asked["path"]) == ("GET", "/search/?q=quiet%20river")
    assert headers[HEADER] == visit.store.state(visit.token)["oscar"].name
    assert headers["host"] == f"oscar.{visit.token}.localhost:8010"


@pytest.mark.parametrize("name", [HEADER, "X-Sandbox-Episode", "x_sandbox_episode"])
def test_a_page_cannot_name_another_episode(visit, name):
    asked = visit.ask("GET", "/", headers={name: "other/other"}).json()
    values = [value for key, value in asked["headers"] if "episode" in key]
    assert values == [visit.store.state(visit.token)["oscar"].name]


def test_a_form_is_passed_on(visit):
    asked = visit.ask("POST", "/basket/add/1/", data={"quantity": "2"}).json()
    assert (asked["method"], asked["body"]) == ("POST", "quantity=2")


def test_the_answer_keeps_its_cookies_and_may_load_from_nowhere_else(visit):
    page = visit.ask("GET", "/")
    assert page.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert "keep-alive" not in page.headers
    assert page.headers["content-security-policy"].startswith("default-src 'self'")


def test_a_form_that_is_far_too_long_is_refused(visit):
    page = visit.ask("POST", "/", content=b"x" * (MAX_BODY_BYTES + 1))
    assert (page.status_code, page.text) == (413, "The form is too long.")


def test_its_files_are_served_without_the_shop(visit, tmp_path):
    (tmp_path / "media").mkdir()
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "a.css").write_text("a{}")
    page = visit.ask("GET", "/static/a.css")
    assert (page.text, page.headers["cache-control"][:6]) == ("a{}", "public")
    assert visit.ask("GET", "/static/%2e%2e/template.sqlite3").status_code == 404
    assert visit.ask("GET", "/media/none.png").status_code == 404


def test_a_shop_that_is_just_starting_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(pages_module, "LOOK_EVERY_S", 0)
    tries = iter([httpx.ConnectError("away"), httpx.ConnectError("away")])

    def answer(request: httpx.Request) -> httpx.Response:
        for error in tries:
            raise error
        return echo(request)

    assert Visit(tmp_path, answer).ask("GET", "/").status_code == 200


def test_a_shop_that_does_not_run_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(pages_module, "START_S", 0)

    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away")

    page = Visit(tmp_path, answer).ask("GET", "/")
    assert page.status_code == 503
    assert "./webrl up starts it" in page.text


def test_what_the_shop_breaks_off_is_not_asked_twice(tmp_path):
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        raise httpx.ReadError("gone")

    page = Visit(tmp_path, answer).ask("POST", "/checkout/preview/")
    assert (page.status_code, asked) == (502, ["/checkout/preview/"])


def test_other_methods_are_refused(visit):
    assert visit.ask("DELETE", "/basket/").status_code == 405
    assert json.loads(visit.ask("GET", "/basket/").text)["path"] == "/basket/"
