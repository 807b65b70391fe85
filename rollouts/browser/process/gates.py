"""Listeners that refuse and note what a page sends outside its sites.

Each page of the pool has its own gate as its SOCKS5 proxy (RFC 1928), with the task's
sites as exceptions. Such a proxy gets host and port before any other data, so a gate
learns the destination of a connection and never its content. The browser's resolver
rules (`egress`) are a second barrier: without any gate, nothing else resolves.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from ipaddress import ip_address

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import HarnessBroken
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.refusals import Refusals

HOST = "127.0.0.1"
# Contexts of a run (64 at most), those opened ahead, and one that signs in.
MAX_PAGES = 80
ASK_DEADLINE_S = 10.0
# Of RFC 1928: version, no authentication, "connection not allowed by ruleset".
VERSION, NO_AUTHENTICATION, NOT_ALLOWED = 5, 0, 2
IPV4, NAME, IPV6 = 1, 3, 4
ADDRESS_SIZES = {IPV4: 4, IPV6: 16}


class Gate:
    """Refuses all connections of one page at a time; `refusals` has counted them."""

    def __init__(self) -> None:
        """Nothing listens before `open`."""
        self.refusals = Refusals()
        self.port = 0
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen on a free port of this machine."""
        self._server = await asyncio.start_server(self._refuse, HOST, 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _refuse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError, EOFError, TimeoutError, ValueError):
            async with asyncio.timeout(ASK_DEADLINE_S):
                self.refusals.note(*await _hear(reader, writer))
                writer.write(bytes([VERSION, NOT_ALLOWED, 0, IPV4, *bytes(6)]))
                await writer.drain()
        writer.close()


async def _hear(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, int]:
    """Return the host and port that a client asks for."""
    _, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    writer.write(bytes([VERSION, NO_AUTHENTICATION]))
    await writer.drain()
    *_, kind = await reader.readexactly(4)
    host = await _read_name(reader) if kind == NAME else await _read_ip(reader, kind)
    return host, int.from_bytes(await reader.readexactly(2), "big")


async def _read_name(reader: asyncio.StreamReader) -> str:
    [length] = await reader.readexactly(1)
    return (await reader.readexactly(length)).decode("ascii", "replace")


async def _read_ip(reader: asyncio.StreamReader, kind: int) -> str:
    return str(ip_address(await reader.readexactly(ADDRESS_SIZES.get(kind, 0))))


class Gates:
    """The gates of one browser, one for each page that is lent."""

    def __init__(self) -> None:
        """Nothing listens before `open`."""
        self._all: list[Gate] = []
        self._free: list[Gate] = []

    async def open(self) -> None:
        """Open all of them: a running browser accepts no further port."""
        self._all = [Gate() for _ in range(MAX_PAGES)]
        await asyncio.gather(*(gate.open() for gate in self._all))
        self._free = list(self._all)

    def list_hosts(self) -> list[AllowedHost]:
        """Return where they listen; the browser itself has to reach them."""
        return [AllowedHost(HOST, gate.port) for gate in self._all]

    def take(self) -> Gate:
        """Return a gate that has counted nothing yet.

        Raises:
            HarnessBroken: All are taken, or closed.
        """
        if not self._free:
            reason = f"{MAX_PAGES} pages are open"
            raise HarnessBroken(Sentence("page_not_opened", reason=reason))
        gate = self._free.pop()
        gate.refusals = Refusals()
        return gate

    def give_back(self, gate: Gate) -> None:
        """Free it for another page."""
        self._free.append(gate)

    def close(self) -> None:
        """Stop listening; a second call is not an error."""
        self._free.clear()
        while self._all:
            self._all.pop().close()


def write_exceptions(allowed: Iterable[AllowedHost]) -> str:
    """Return the hosts and ports that pages reach without a gate, for the browser."""
    return ",".join(dict.fromkeys(host.place for host in sorted(allowed)))
