from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from curriculum import services
from curriculum.errors import WorkbenchError
from curriculum.models import Site
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sites() -> None:
    SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL)
    SiteFactory(key="shop")


def test_an_external_site_gets_its_address() -> None:
    out = io.StringIO()
    call_command("set_site_address", "reddit", "http://forum.lab:9999/", stdout=out)
    assert Site.objects.get(key="reddit").base_url == "http://forum.lab:9999/"
    assert "is at http://forum.lab:9999/" in out.getvalue()


def test_an_address_can_be_taken_away() -> None:
    services.set_site_address(key="reddit", url="http://forum.lab/")
    services.set_site_address(key="reddit", url="")
    assert Site.objects.get(key="reddit").base_url == ""


@pytest.mark.parametrize(
    "url", ["forum.lab", "ftp://x/", "file:///etc/passwd", "http://", "http://[x/"]
)
def test_only_a_web_address_is_one(url: str) -> None:
    with pytest.raises(WorkbenchError, match="must be an http"):
        services.set_site_address(key="reddit", url=url)


def test_an_address_holds_no_password_and_none_is_repeated() -> None:
    with pytest.raises(WorkbenchError, match="SITE_SIGN_INS") as error:
        services.set_site_address(key="reddit", url="http://me:geheim@forum.lab/")
    assert "geheim" not in str(error.value)


def test_the_sandboxs_sites_need_none() -> None:
    with pytest.raises(WorkbenchError, match="in the sandbox"):
        services.set_site_address(key="shop", url="http://x/")


def test_an_unknown_site_is_named_with_the_known() -> None:
    with pytest.raises(CommandError, match=r"Unknown site 'moon' \(known: reddit"):
        call_command("set_site_address", "moon", "http://x/")
