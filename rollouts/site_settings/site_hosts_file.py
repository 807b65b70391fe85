"""The operator's file of further hosts that the pages of a site call."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from rollouts.site_settings.operator_file import mistake, read_sites

SETTING = "SITE_HOSTS"
LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
NAME = re.compile(rf"{LABEL}(\.{LABEL})*")
# A browser reads a name with such an end as an address: 127.1, 0x7f000001.
NUMBER = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)")


def parse_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Read {"site": ["http://host:port", ...]}.

    Raises:
        WorkbenchError: Names the site and what an entry must be.
    """
    sites = read_sites(text, SETTING)
    return {site: _parse_one(site, value) for site, value in sites.items()}


def _parse_one(site: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(map(_is_origin, value)):
        what = "must be a list of addresses such as http://map.lab:5000, without a path"
        raise mistake(SETTING, site, what)
    return tuple(url.rstrip("/") for url in value)


def _is_origin(url: object) -> bool:
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
        # Reading the port refuses one that is no number or out of range.
        has_port = parts is not None and parts.port != 0
    except ValueError:
        return False
    if parts is None or not has_port or parts.scheme not in ("http", "https"):
        return False
    is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment)
    return is_bare and "@" not in parts.netloc and _is_host(parts.hostname or "")


def _is_host(host: str) -> bool:
    """Say whether it is one name or IPv4 address, and no pattern of several."""
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return bool(NAME.fullmatch(host)) and not NUMBER.fullmatch(host)
    return True
