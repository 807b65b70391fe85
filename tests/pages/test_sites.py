from __future__ import annotations

from curriculum.models import Site
from tests.factories import SiteFactory
from tests.pages.conftest import SignIn


def test_the_sites_are_listed_with_their_tasks(sign_in: SignIn):
    page = sign_in("annotator").get("/curriculum/sites/")
    (shop,) = [one for one in page.context["sites"] if one.site.key == "shop"]
    assert dict(shop.splits)["Train"] > 0
    assert shop.example is not None
    assert shop.can_be_reached


def test_a_site_elsewhere_without_an_address_says_so(sign_in: SignIn):
    SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL)
    admin = sign_in("admin").get("/curriculum/sites/").content.decode()
    assert "No address yet" in admin
    assert "Set its address" in admin
    other = sign_in("annotator").get("/curriculum/sites/").content.decode()
    assert "Set its address" not in other
