"""The operator's file of further hosts that the pages of a site call."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from rollouts.browser.process.egress import AllowedHost, write_host
from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_HOSTS"
MAX_NAME_LENGTH = 253
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# The browser takes a name that ends like this for an address.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def parse_hosts(text: str) -> dict[str, tuple[AllowedHost, ...]]:
    """Read {"site": ["http://host:port", ...]}; each host keeps its site.

    Raises:
        WorkbenchError: Names the site and what an entry must be.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_list(site, value) for site, value in sites.items()}


def _parse_list(site: str, value: object) -> tuple[AllowedHost, ...]:
    entries = value if isinstance(value, list) else [None]
    found = [_parse_one(site, entry) for entry in entries]
    hosts = [host for host in found if host is not None]
    if len(hosts) < len(found):
        what = "must be a list of addresses such as http://map.lab:5000, without a path"
        raise mistake(SETTING, site, what)
    return tuple(dict.fromkeys(hosts))


def _parse_one(site: str, url: object) -> AllowedHost | None:
    """Return the host and port of an address that has nothing else, or None."""
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
        # Reading the port refuses one that is no number or out of range.
        if parts is None or parts.port == 0 or not parts.hostname:
            return None
        host = _read_host(parts.hostname)
        is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment)
        if not host or not is_bare or "@" in parts.netloc:
            return None
        port = AllowedHost.of_url(f"{parts.scheme}://{parts.netloc}").port
        return AllowedHost(host, port, site=site)
    except ValueError:
        return None


def _read_host(text: str) -> str:
    """Return a name or address as the browser writes it, "" where it is neither.

    A pattern, or a list in the browser's own notation, would open hosts that nobody
    has named.
    """
    if ":" in text:
        # A link's name after "%" means nothing to the browser.
        return "" if "%" in text else write_host(str(ipaddress.IPv6Address(text)))
    if _NUMBER.fullmatch(text.rpartition(".")[2]):
        return str(ipaddress.IPv4Address(text))
    is_name = all(map(_LABEL.fullmatch, text.split(".")))
    return text if is_name and len(text) <= MAX_NAME_LENGTH else ""
