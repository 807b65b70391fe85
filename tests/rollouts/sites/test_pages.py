from __future__ import annotations

import re

import pytest

from rollouts.sites.forum import data as forum
from rollouts.sites.kit.sites import SITES
from rollouts.sites.kit.web import parse_host
from rollouts.sites.shop import data as shop
from tests.rollouts.sites.visitor import INTERACTIVE, Sandbox, without_frame

SOLD_OUT = next(p.slug for p in shop.PRODUCTS.values() if not p.stock)
IN_STOCK = next(p.slug for p in shop.PRODUCTS.values() if p.stock)
OWN_POST = next(p.slug for p in forum.POSTS.values() if p.author == "Robin")
SHOP_PAGES = [
    "/",
    *[f"/category/{slug}" for slug in shop.CATEGORY_BY_SLUG],
    "/category/toys?sort=lowest&page=6",
    "/category/toys?sort=no&page=9999999999",
    "/search?q=oak",
    "/search?q=",
    "/search",
    "/search?q=%3Cscript%3E",
    f"/product/{SOLD_OUT}",
    f"/product/{IN_STOCK}?tab=reviews",
    "/wishlist",
    "/cart",
    "/checkout",
    "/orders?sort=total",
    *[f"/order/{number}" for number in shop.ORDERS],
    "/account?saved=1",
]
FORUM_PAGES = [
    "/",
    "/forums",
    "/forums?page=2",
    *[f"/forum/{slug}?sort=new" for slug in forum.FORUMS],
    "/forum/chess?page=4",
    "/search?q=guide",
    "/search?q=Alice",
    "/search?q=zzz",
    f"/post/{OWN_POST}",
    f"/post/{next(iter(forum.POSTS))}",
    "/saved",
    "/submit?forum=chess",
    "/blocked",
    "/profile",
    "/inbox?page=2",
    *[f"/inbox/{slug}" for slug in forum.LETTERS],
    *[f"/user/{slug}" for slug in forum.USERS],
]


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture(scope="module")
def token(sandbox: Sandbox) -> str:
    token = sandbox.open(*[site.key for site in SITES])
    sandbox.post("shop", token, f"/product/{IN_STOCK}/cart", quantity="1")
    return token


@pytest.mark.parametrize(
    ("site", "path"),
    [("shop", path) for path in SHOP_PAGES] + [("forum", path) for path in FORUM_PAGES],
)
def test_a_page_renders_lean_and_alone(
    sandbox: Sandbox, token: str, site: str, path: str
) -> None:
    page = sandbox.get(site, token, path)
    assert page.status_code == 200
    text = without_frame(page.text)
    assert "http" not in text.replace("http-equiv", "")
    assert "<script" not in text
    without_dialogs = re.sub(r"(?s)<dialog.*?</dialog>", "", text)
    assert len(INTERACTIVE.findall(without_dialogs)) <= 35


@pytest.mark.parametrize("site", [site.key for site in SITES])
@pytest.mark.parametrize("path", ["/nothing", "/product/x", "/post/x", "/order/7"])
def test_what_does_not_exist_gets_the_sites_own_404(
    sandbox: Sandbox, token: str, site: str, path: str
) -> None:
    page = sandbox.get(site, token, path)
    assert page.status_code == 404
    assert "does not exist" in page.text
    assert 'class="brand"' in page.text


def test_a_form_that_is_too_long_is_refused(sandbox: Sandbox, token: str) -> None:
    page = sandbox.post("forum", token, "/submit", text="x" * 70_000)
    assert page.status_code == 413


def test_a_wrong_method_is_refused(sandbox: Sandbox, token: str) -> None:
    assert sandbox.post("shop", token, "/orders").status_code == 405


def test_what_a_visitor_writes_is_never_markup(sandbox: Sandbox) -> None:
    token = sandbox.open("forum")
    path = f"/post/{OWN_POST}"
    page = sandbox.post("forum", token, f"{path}/comment", text="<b>bold</b>")
    assert "&lt;b&gt;bold&lt;/b&gt;" in page.text


@pytest.mark.parametrize("site", [site.key for site in SITES])
def test_a_page_needs_no_other_file(sandbox: Sandbox, token: str, site: str) -> None:
    page = sandbox.get(site, token, "/").text
    addresses = re.findall(r'url\("?([a-z]+:)', page)
    assert all(address == "data:" for address in addresses)
    assert "addEventListener" in page
    assert re.findall(r"<link [^>]*stylesheet|<script [^>]*src|<img ", page) == []


def test_suggestions_hold_what_is_typed(sandbox: Sandbox, token: str) -> None:
    found = sandbox.get("shop", token, "/suggest?q=oak s").json()
    assert 0 < len(found) <= 5
    assert all("Oak S" in name for name, _ in found)


def test_hosts_are_parsed_strictly() -> None:
    assert parse_host("shop.0af.localhost:8010") == ("shop", "0af")
    assert parse_host("SHOP.0AF.localhost") == ("shop", "0af")
    assert parse_host("shop.0af.localhost.evil.com") is None
    assert parse_host("shop.localhost:8010") is None
