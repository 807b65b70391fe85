"""The operator's file of shops' interfaces: JSON, checked, never stored."""

from __future__ import annotations

from urllib.parse import urlsplit

from rollouts.browser.evaluators.magento import ADDRESS, ShopInterface, is_token
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_INTERFACES"
PERSON = ("user", "password")
FORMS = ({"url", "token"}, {"url", *PERSON})


def parse_interfaces(text: str) -> dict[str, ShopInterface]:
    """Read {"site": {"url", "token"}}, or "user" and "password" for the token.

    {address} in the url is the instance's.

    Raises:
        WorkbenchError: Names the site and the field, never what lets anyone in.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, value) for site, value in sites.items()}


def _parse_one(site: str, value: object) -> ShopInterface:
    if not isinstance(value, dict) or set(value) not in FORMS:
        what = "needs url and token, or url, user and password, and nothing else"
        raise mistake(SETTING, site, what)
    url = value["url"]
    if not isinstance(url, str) or not _is_address(url.replace(ADDRESS, "http://x")):
        raise mistake(SETTING, site, "url must be an http(s) address without a query")
    if "token" in value:
        if not is_token(value["token"]):
            raise mistake(SETTING, site, "token must be one plain word")
        return ShopInterface(url.rstrip("/"), value["token"])
    user, password = (value[name] for name in PERSON)
    if not all(isinstance(text, str) and text for text in (user, password)):
        raise mistake(SETTING, site, "user and password must be texts")
    return ShopInterface(url.rstrip("/"), user=user, password=password)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_plain = not (parts.query or parts.fragment)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_plain
