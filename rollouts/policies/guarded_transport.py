"""HTTP to addresses that users typed, if they are public or allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import httpx

from curriculum.rules.public_addresses import find_address

PORTS = {"http": 80, "https": 443}


class GuardedTransport(httpx.HTTPTransport):
    """Resolves a host once for each request, checks it, and connects to that address.

    DNS rebinding has no effect, because a name is not resolved a second time.
    Certificates are still checked against the name.
    """

    def __init__(
        self,
        allowed: Sequence[str] = (),
        *,
        find: Callable[[str, int, Sequence[str]], str] = find_address,
    ) -> None:
        """`allowed` are the operator's exceptions; `find` is replaced in tests."""
        super().__init__(trust_env=False)
        self._allowed = tuple(allowed)
        self._find = find

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address.

        Raises:
            AddressRefused: The host's address is not allowed.
            httpx.ConnectError: The name cannot be resolved.
        """
        url = request.url
        port = url.port or PORTS[url.scheme]
        try:
            address = self._find(url.host, port, self._allowed)
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(str(error), request=request) from error
        checked = httpx.Request(
            request.method,
            url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": url.host},
        )
        return super().handle_request(checked)
