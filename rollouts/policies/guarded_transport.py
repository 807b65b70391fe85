"""HTTP to addresses that users typed, if they are public or allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import httpx

from curriculum.rules.public_addresses import find_addresses

PORTS = {"http": 80, "https": 443}


class GuardedTransport(httpx.HTTPTransport):
    """Resolves a host once for each request, checks it, and connects to what it found.

    Of several addresses the next is tried where one does not accept the connection,
    as for a server that listens on IPv4 under a name that also has an IPv6 address.
    DNS rebinding has no effect, because a name is not resolved a second time.
    Certificates are still checked against the name.
    """

    def __init__(
        self,
        allowed: Sequence[str] = (),
        *,
        find: Callable[[str, int, Sequence[str]], Sequence[str]] = find_addresses,
    ) -> None:
        """`allowed` are the operator's exceptions; `find` is replaced in tests."""
        super().__init__(trust_env=False)
        self._allowed = tuple(allowed)
        self._find = find

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to a checked address.

        Raises:
            AddressRefused: The host's address is not allowed.
            httpx.ConnectError: The name cannot be resolved, or no address answers.
        """
        url = request.url
        port = url.port or PORTS[url.scheme]
        try:
            *others, last = self._find(url.host, port, self._allowed)
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(str(error), request=request) from error
        for address in others:
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                return super().handle_request(_address(request, address))
        return super().handle_request(_address(request, last))


def _address(request: httpx.Request, address: str) -> httpx.Request:
    """Return the request to an address of its host; the host's name stays in it."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )
