"""A look at an instance, with a real browser and a small site."""

from __future__ import annotations

import pytest

from rollouts.browser.hosting.signing_in import SignIns
from rollouts.browser.hosting.site_check import Finding, check_address
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import SignIn
from tests.rollouts.browser.tiny_site import TinySite, respond, status

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HEADER = SignIn("/", (), "", ".me", headers=(("X-User", "emma"),))


async def look(pool: BrowserPool, url: str, recipe: SignIn | None = None) -> Finding:
    recipes = {"shop": recipe} if recipe else {}
    pool.allow([AllowedHost.of_url(url)])
    sign_ins = SignIns(pool, recipes, patience_ms=500, seen_ms=500)
    return await check_address(pool, sign_ins, "shop", url, bool(recipe))


async def test_a_site_that_answers_is_fine(pool: BrowserPool, site: TinySite):
    site.pages = {"/": respond("<p>Hello</p>", "Set-Cookie: sid=1; Path=/")}

    assert await look(pool, site.url) == Finding(True, cookies=(("sid", "/"),))


async def test_a_site_that_answers_an_error_says_which(
    pool: BrowserPool, site: TinySite
):
    site.pages = {"/": status(503)}

    found = await look(pool, site.url)

    assert found.answers is False
    assert found.answers_why.startswith("It answered 503.")


async def test_a_site_that_is_not_there_does_not_answer(pool: BrowserPool):
    found = await look(pool, "http://shop.test.localhost:9")

    assert found.answers is False
    assert found.answers_why.startswith("It does not answer: ")


async def test_a_copy_that_leads_to_another_address_is_told(
    pool: BrowserPool, site: TinySite
):
    site.pages = {
        "/": b"HTTP/1.1 302 Found\r\nLocation: http://first.lab:7770/\r\n"
        b"Content-Length: 0\r\n\r\n"
    }

    found = await look(pool, site.url)

    assert found.answers is False
    assert found.answers_why.startswith("It leads to http://first.lab:7770.")


def greet(head: str, body: str) -> bytes:
    is_known = "x-user: emma" in head.lower()
    return respond("<p class=me>Emma</p>" if is_known else "<p>Who are you?</p>")


async def test_a_sign_in_that_works_is_seen(pool: BrowserPool, site: TinySite):
    site.pages = {"/": greet}

    assert await look(pool, site.url, HEADER) == Finding(True, is_signed_in=True)


async def test_a_sign_in_that_does_not_work_is_told(pool: BrowserPool, site: TinySite):
    site.pages = {"/": "<p>Who are you?</p>"}

    found = await look(pool, site.url, HEADER)

    assert (found.answers, found.is_signed_in) == (True, False)
    assert found.signed_in_why == (
        "The session on shop did not last. Correct its entry in SITE_SIGN_INS."
    )


async def test_hosts_that_its_page_may_not_reach_are_named(
    pool: BrowserPool, site: TinySite
):
    site.pages = {"/": "<img src=http://tiles.lab:8080/1.png>"}

    found = await look(pool, site.url)

    assert found.answers is True
    assert "asks for tiles.lab:8080, which" in found.answers_why
    assert "SITE_HOSTS" in found.answers_why
