"""Which network addresses a user of the dashboard may let the workbench call.

An address that a user types is called from inside the lab's network. It must not lead
to the machine itself, to its neighbours or to a cloud's metadata service. Only the
operator's settings may name such hosts.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# RFC 6052: an IPv4 address in the last 32 bits.
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Never public: RFC 6761, 6762 and 8375, the usual hosts file, ICANN's reservation.
LOCAL_DOMAINS = ("localhost", "localdomain", "local", "internal", "home.arpa")
# A public name has a dot; its other characters are letters, digits and hyphens.
NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")


class AddressRefused(Exception):
    """The address is one that only the operator's settings may use."""


def find_addresses(host: str, port: int, allowed: Iterable[str] = ()) -> list[str]:
    """Return the checked addresses of a host, in the order to try them in.

    Args:
        host: A name or an address in any spelling that the system understands.
        port: The TCP port.
        allowed: The operator's exceptions: `host`, `host:port` or `10.0.0.0/8`; with
            an IPv6 address `[fd00::1]`, `[fd00::1]:8000` or `fd00::/8`.

    Raises:
        AddressRefused: One of the host's addresses is not public.
        OSError: The name cannot be resolved.
    """
    rules = [rule.lower() for rule in allowed]
    found = _resolve(host, port)
    if not _list_spellings(host.lower(), port).intersection(rules):
        networks = _list_networks(rules)
        for address in found:
            if not is_public(address) and not any(address in net for net in networks):
                raise AddressRefused(f"{host} is not a public address.")
    return [str(address) for address in found]


def is_public(address: Address) -> bool:
    """Say whether the address belongs to the internet at large."""
    inner = _unwrap(address)
    if inner is not None:
        return is_public(inner)
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not getattr(address, "is_site_local", False)
    )


def is_seen_private(host: str) -> bool:
    """Say whether a host is visibly not public, without resolving its name.

    Escapes and full-width letters are refused: resolvers and libraries read them
    differently.
    """
    text = host.lower().rstrip(".")
    if unicodedata.normalize("NFKC", unquote(text)) != text:
        return True
    try:
        found = _resolve(text, 0, socket.AI_NUMERICHOST)
    except (OSError, UnicodeError, ValueError):
        is_local = any(f".{text}".endswith(f".{name}") for name in LOCAL_DOMAINS)
        return is_local or not NAME.fullmatch(text)
    return not all(map(is_public, found))


def _list_spellings(host: str, port: int) -> set[str]:
    written = f"[{host}]" if ":" in host else host
    return {host, written, f"{written}:{port}"}


def _resolve(host: str, port: int, flags: int = 0) -> list[Address]:
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    # A link-local address includes the link's name: fe80::1%eth0.
    texts = dict.fromkeys(str(row[4][0]).partition("%")[0] for row in rows)
    return [ipaddress.ip_address(text) for text in texts]


def _unwrap(address: Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address is mapped to, or None."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    teredo = address.teredo[1] if address.teredo else None
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return (
        address.ipv4_mapped
        or address.sixtofour
        or teredo
        or (last if address in NAT64 else None)
    )


def _list_networks(
    rules: Iterable[str],
) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    return [ipaddress.ip_network(rule) for rule in rules if "/" in rule]
