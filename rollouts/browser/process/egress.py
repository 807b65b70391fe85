"""Where a page may connect to: the task's sites by host and port, nothing else.

The rules are the browser's own resolver rules, so they hold for every request that a
page can make (redirects, sockets, beacons and top navigations too) and cost nothing per
request. A name or address without a rule does not resolve. Requests first reach the
listeners of `gates`, which note what is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv6Address
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class AllowedHost:
    """One host and port. `pattern` may begin with `*.` for the names below it.

    `address` is where the name leads to; "" leaves that to the resolver. Where `site`
    is set, only pages of episodes that use this site reach the host.
    """

    pattern: str
    port: int
    address: str = ""
    site: str = ""

    @classmethod
    def of_url(cls, url: str) -> AllowedHost:
        """Return the host and port of an http(s) address."""
        parts = urlsplit(url)
        if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
            raise ValueError(f"not an http(s) address: {url!r}")
        host = write_host(parts.hostname)
        return cls(host, parts.port or _DEFAULT_PORTS[parts.scheme])

    @property
    def place(self) -> str:
        """Host and port as in the browser's rules: `shop.lab:80`, `[::1]:80`."""
        return f"{_bracket(self.pattern)}:{self.port}"


def write_host(host: str) -> str:
    """Return a host as the browser writes it, without the brackets of an address.

    It writes an IPv6 address in one way only, and compares its rules with that.
    """
    with suppress(ValueError):
        address = IPv6Address(host)
        if address.ipv4_mapped is None:
            return str(address)
        # Some versions of Python write the last four bytes as an IPv4 address.
        last = int(address.ipv4_mapped)
        return f"::ffff:{last >> 16:x}:{last & 0xFFFF:x}"
    return host


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def sandbox_host(port: int) -> AllowedHost:
    """Return the rule for every sandbox origin: `<site>.<token>.localhost`."""
    return AllowedHost("*.localhost", port, "127.0.0.1")


def resolver_rules(allowed: Sequence[AllowedHost]) -> str:
    """Return the value of Chromium's --host-resolver-rules."""
    rules = []
    for host in allowed:
        target = _bracket(host.address or host.pattern)
        rules.append(f"MAP {host.place} {target}:{host.port}")
    return ",".join([*dict.fromkeys(rules), "MAP * ~NOTFOUND"])


def egress_arguments(allowed: Sequence[AllowedHost]) -> list[str]:
    """Return the browser arguments that keep pages within `allowed`."""
    return [
        f"--host-resolver-rules={resolver_rules(allowed)}",
        # The full browser reads the first spelling, the headless shell the second.
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--no-proxy-server",
        "--no-pings",
        "--dns-prefetch-disable",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-domain-reliability",
        "--disable-sync",
        "--disable-default-apps",
        "--no-first-run",
    ]
