from __future__ import annotations

import pytest

from rollouts.browser.actions.addresses import resolve

SITES = {"shop": "http://shop.x.localhost:80", "forum": "http://forum.x.localhost:81"}


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("__SHOP__", "http://shop.x.localhost:80"),
        ("__FORUM__/a?b", "http://forum.x.localhost:81/a?b"),
        (" /cart ", "http://forum.x.localhost:81/cart"),
        ("?q=1", "http://forum.x.localhost:81/here?q=1"),
        ("http://shop.x.localhost/a", "http://shop.x.localhost/a"),
    ],
)
def test_an_address_of_the_tasks_sites_is_found(url, target):
    assert resolve(url, "http://forum.x.localhost:81/here", SITES) == target


@pytest.mark.parametrize(
    "url",
    [
        *("http://elsewhere.example/", "//elsewhere.example/"),
        *("http://shop.x.localhost:80\\@elsewhere.example/",),
        *("http://shop.x.localhost:99/", "https://shop.x.localhost:80/"),
        *("http://a@shop.x.localhost/", "http://shop.x.localhost.evil.example/"),
        *("javascript:alert(1)", "file:///etc/passwd", "chrome://version", "cart", ""),
        *("http://[", "__MAP__/", "__SHOP__x.example/"),
    ],
)
def test_an_address_elsewhere_is_refused(url):
    assert resolve(url, "http://shop.x.localhost:80/", SITES) is None


def test_from_an_empty_tab_a_path_leads_to_the_first_site():
    assert resolve("/cart", "about:blank", SITES) == "http://shop.x.localhost:80/cart"
