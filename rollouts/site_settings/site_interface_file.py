"""The operator's file of shops' interfaces: JSON, checked, never stored."""

from __future__ import annotations

from urllib.parse import urlsplit

from rollouts.browser.evaluators.magento import ADDRESS, ShopInterface
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_INTERFACES"
FIELDS = {"url", "token"}


def parse_interfaces(text: str) -> dict[str, ShopInterface]:
    """Read {"site": {"url", "token"}}; {address} in the url is the instance's.

    Raises:
        WorkbenchError: Names the site and the field, never the token.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, value) for site, value in sites.items()}


def _parse_one(site: str, value: object) -> ShopInterface:
    if not isinstance(value, dict) or set(value) != FIELDS:
        raise mistake(SETTING, site, "needs url and token and nothing else")
    url, token = value["url"], value["token"]
    if not isinstance(url, str) or not _is_address(url.replace(ADDRESS, "http://x")):
        raise mistake(SETTING, site, "url must be an http(s) address without a query")
    is_text = isinstance(token, str) and token.isascii() and token.isprintable()
    if not is_text or not token or " " in token:
        raise mistake(SETTING, site, "token must be one plain word")
    return ShopInterface(url.rstrip("/"), token)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_plain = not (parts.query or parts.fragment)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_plain
