from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from curriculum import services
from curriculum.errors import WorkbenchError
from curriculum.models import Site
from curriculum.selectors.pools import list_instances
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


def test_an_address_of_ipv6_is_one() -> None:
    services.set_site_address(key="reddit", url="http://[fd00::7]:9999/")

    assert Site.objects.get(key="reddit").base_url == "http://[fd00::7]:9999/"


def test_an_address_can_be_taken_away() -> None:
    services.set_site_address(key="reddit", url="http://forum.lab/")
    services.set_site_address(key="reddit", url="")
    assert Site.objects.get(key="reddit").base_url == ""


@pytest.mark.parametrize(
    "url",
    [
        *("forum.lab", "ftp://x/", "file:///etc/passwd", "http://", "http://[x/"),
        *("http://[fe80::1%25eth0]/", "http://[::1::2]/"),
    ],
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


@pytest.fixture
def forum() -> Site:
    return services.set_site_address(key="reddit", url="http://forum.lab/")


def test_an_external_site_gets_more_instances_with_numbers_of_their_own(
    forum: Site,
) -> None:
    out = io.StringIO()
    call_command("set_site_instance", "reddit", "http://two.lab/", stdout=out)
    services.add_site_instance(key="reddit", url="http://three.lab/")
    assert out.getvalue() == "reddit#2 is at http://two.lab/.\n"
    assert list_instances() == {
        "reddit": {1: "http://forum.lab/", 2: "http://two.lab/", 3: "http://three.lab/"}
    }


def test_the_number_of_an_instance_is_never_used_again(forum: Site) -> None:
    services.add_site_instance(key="reddit", url="http://two.lab/")
    call_command("set_site_instance", "reddit", "--remove", "2", stdout=io.StringIO())
    services.add_site_instance(key="reddit", url="http://two.lab/")
    assert list_instances()["reddit"] == {1: "http://forum.lab/", 3: "http://two.lab/"}


@pytest.mark.parametrize("url", ["", "http://forum.lab", "http://two.lab/"])
def test_two_instances_have_two_addresses(forum: Site, url: str) -> None:
    services.add_site_instance(key="reddit", url="http://two.lab")
    with pytest.raises(WorkbenchError, match="needs an address of its own"):
        services.add_site_instance(key="reddit", url=url)


def test_an_address_of_an_instance_holds_no_password(forum: Site) -> None:
    with pytest.raises(WorkbenchError, match="SITE_SIGN_INS"):
        services.add_site_instance(key="reddit", url="http://me:geheim@two.lab/")


@pytest.mark.parametrize("key", ["shop", "reddit"])
def test_only_an_external_site_with_an_address_gets_instances(key: str) -> None:
    with pytest.raises(WorkbenchError, match="needs an address of its own first"):
        services.add_site_instance(key=key, url="http://two.lab/")


def test_an_instance_that_is_not_there_cannot_be_taken_away(forum: Site) -> None:
    with pytest.raises(CommandError, match="no further instance 1"):
        call_command("set_site_instance", "reddit", "--remove", "1")
