"""Whether this machine has IPv6: many containers have none, not even on loopback."""

from __future__ import annotations

import socket

import pytest


def has_ipv6() -> bool:
    """Say whether a server can listen on the loopback address of IPv6."""
    try:
        with socket.socket(socket.AF_INET6) as listening:
            listening.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
