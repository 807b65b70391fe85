"""Sites that tasks may name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from curriculum.errors import WorkbenchError
from curriculum.models import Site, SiteInstance
from curriculum.task_files.suites import KNOWN_SITES


@transaction.atomic
def register_sites(*, sites: Sequence[Site]) -> None:
    """Create or update sites by key; existing ones get the new names and texts."""
    Site.objects.bulk_create(
        sites,
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["name", "kind", "description", "placeholder", "base_url"],
    )


def make_known_sites(*, keys: Iterable[str]) -> list[Site]:
    """Return those of WebArena's sites that have no row yet."""
    wanted = [KNOWN_SITES[key] for key in keys]
    present = set(Site.objects.values_list("key", flat=True))
    return [
        Site(
            key=site.key,
            name=site.name,
            kind=Site.Kind.EXTERNAL,
            description=site.description,
            placeholder=site.placeholder,
        )
        for site in wanted
        if site.key not in present
    ]


def check_sites(keys: Iterable[str]) -> None:
    """Refuse unknown keys of sites.

    Raises:
        WorkbenchError: Names the first unknown one, and those that are known.
    """
    known = list(Site.objects.order_by("key").values_list("key", flat=True))
    for key in keys:
        if key not in known:
            names = ", ".join(known) or gettext("none; load some first")
            raise WorkbenchError(
                gettext("Unknown site %(key)r (known: %(names)s).")
                % {"key": key, "names": names}
            )


@transaction.atomic
def set_site_address(*, key: str, url: str) -> Site:
    """Set the address of an external site; "" removes it.

    Raises:
        WorkbenchError: The site is unknown or the sandbox's, or the address is invalid.
    """
    check_sites([key])
    site = Site.objects.select_for_update().get(key=key)
    if site.kind == Site.Kind.SANDBOX:
        raise WorkbenchError(
            gettext("%(name)s is in the sandbox and needs no address.")
            % {"name": site.name}
        )
    check_address(url)
    site.base_url = url
    site.save(update_fields=["base_url"])
    return site


@transaction.atomic
def add_site_instance(*, key: str, url: str) -> SiteInstance:
    """Add an instance of an external site.

    Raises:
        WorkbenchError: The site is unknown, the sandbox's or without an address of its
            own, or `url` is no address or another instance's.
    """
    check_sites([key])
    site = Site.objects.select_for_update().get(key=key)
    if site.kind == Site.Kind.SANDBOX or not site.base_url:
        raise WorkbenchError(
            gettext("%(name)s needs an address of its own first.") % {"name": site.name}
        )
    check_address(url)
    same = url.rstrip("/")
    taken = [site.base_url, *site.instances.values_list("base_url", flat=True)]
    if not url or same in [one.rstrip("/") for one in taken]:
        raise WorkbenchError(
            gettext("Each instance of %(name)s needs an address of its own.")
            % {"name": site.name}
        )
    last = site.instances.aggregate(last=Max("number"))["last"] or 1
    return SiteInstance.objects.create(site=site, number=last + 1, base_url=url)


def remove_site_instance(*, key: str, number: int) -> bool:
    """Remove an instance's address; its running episodes go on to their end.

    False where there is no such instance; the first is the site's own address.
    """
    rows = SiteInstance.objects.filter(site__key=key, number=number)
    return bool(rows.exclude(base_url="").update(base_url=""))


def check_address(url: str) -> None:
    """Refuse what is not an address of a site; "" means no address yet.

    Raises:
        WorkbenchError: It is not an http(s) address, or contains a name or a password:
            all users of the workbench can read it, and so can the policy.
    """
    try:
        parts = urlsplit(url)
        # A browser refuses addresses that name a link: [fe80::1%25eth0].
        has_host = bool(parts.hostname) and "%" not in parts.netloc
        is_web = parts.scheme in ("http", "https") and has_host
        holds_secrets = "@" in parts.netloc
    except ValueError:
        is_web = holds_secrets = False
    if holds_secrets:
        raise WorkbenchError(
            gettext(
                "An address must not contain a name or password: everyone "
                "can see it. SITE_SIGN_INS says how to sign in."
            )
        )
    if url and not is_web:
        raise WorkbenchError(
            gettext("The address must be an http(s) address, not %(url)r.")
            % {"url": url}
        )
