from __future__ import annotations

import pytest
from django.test import Client

from curriculum.models import Site
from tests.factories import SiteFactory

NEW = {
    "key": "lab",
    "name": "Lab shop",
    "placeholder": "__LAB__",
    "base_url": "http://lab.example/",
}


def add(client: Client, **changes: str) -> str:
    response = client.post("/admin/curriculum/site/add/", NEW | changes, follow=True)
    return response.content.decode()


def test_a_site_added_by_hand_is_external(admin: Client):
    add(admin)

    assert Site.objects.get(key="lab").kind == Site.Kind.EXTERNAL


@pytest.mark.parametrize("placeholder", ["LAB", "__lab__", "__LAB", "__L-B__", "____"])
def test_a_placeholder_looks_like_the_others(admin: Client, placeholder: str):
    assert "like __SHOPPING__." in add(admin, placeholder=placeholder)
    assert not Site.objects.filter(key="lab").exists()


def test_an_address_holds_no_password_there_either(admin: Client):
    assert "SITE_SIGN_INS" in add(admin, base_url="http://me:pw@lab.example/")
    assert not Site.objects.filter(key="lab").exists()


def test_the_address_of_an_external_site_is_set_there(admin: Client):
    site = SiteFactory(key="far", kind=Site.Kind.EXTERNAL)

    admin.post(
        f"/admin/curriculum/site/{site.pk}/change/",
        {"name": site.name, "base_url": "http://far.example/"},
    )

    site.refresh_from_db()
    assert site.base_url == "http://far.example/"


def test_the_sandboxs_own_sites_are_only_shown(admin: Client):
    site = SiteFactory(key="near")
    page = f"/admin/curriculum/site/{site.pk}"

    assert admin.get(f"{page}/change/").status_code == 200
    assert admin.post(f"{page}/change/", {"name": "x"}).status_code == 403
    assert admin.post(f"{page}/delete/", {"post": "yes"}).status_code == 403
