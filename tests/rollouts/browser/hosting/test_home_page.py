from __future__ import annotations

from urllib.parse import unquote

from rollouts.browser.hosting.home_page import find_home_page
from rollouts.browser.hosting.hosts import OpenSites

OPENED = OpenSites("", {"map": "http://map.lab", "shop_admin": "http://shop.lab/admin"})


def test_home_links_to_all_sites_where_one_has_no_tab():
    page = unquote(find_home_page(["http://map.lab/"], OPENED))
    assert page.startswith("data:text/html")
    assert '<a href="http://map.lab/">map</a>' in page
    assert '<a href="http://shop.lab/admin">shop admin</a>' in page


def test_home_is_the_first_start_page_where_every_site_has_a_tab():
    starts = ["http://shop.lab/admin/orders", "http://map.lab/"]
    assert find_home_page(starts, OPENED) == "http://shop.lab/admin"


def test_home_of_a_task_on_one_site_is_its_start_page():
    opened = OpenSites("", {"map": "http://map.lab"})
    assert find_home_page(["http://other.lab/x"], opened) == "http://other.lab/"


def test_a_sites_address_cannot_write_into_the_page():
    opened = OpenSites("", {"map": "http://map.lab", "a": 'http://a.lab/"><b>'})
    assert "<b>" not in unquote(find_home_page(["http://map.lab/"], opened))
