"""A gate refuses every connection and notes where it should have led."""

from __future__ import annotations

import asyncio

import pytest

from rollouts.browser.errors import HarnessBroken
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.gates import Gate, Gates, write_exceptions
from rollouts.browser.types import RefusedAttempt

pytestmark = pytest.mark.asyncio

HELLO = b"\x05\x01\x00"
REFUSED = b"\x05\x02\x00\x01" + bytes(6)


async def ask(gate: Gate, wanted: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", gate.port)
    writer.write(HELLO + wanted)
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    ("wanted", "host"),
    [
        (b"\x05\x01\x00\x03\x09evil.test", "evil.test"),
        (b"\x05\x01\x00\x01\x0a\x00\x00\x01", "10.0.0.1"),
        (b"\x05\x01\x00\x04" + bytes(15) + b"\x01", "::1"),
    ],
)
async def test_a_connection_is_refused_and_noted(wanted, host):
    gate = Gate()
    await gate.open()

    answer = await ask(gate, wanted + b"\x01\xbb")

    assert answer == b"\x05\x00" + REFUSED
    assert gate.refusals.list_attempts() == (
        RefusedAttempt(host, 443, "connection", 1),
    )
    gate.close()


async def test_nonsense_is_neither_answered_nor_noted():
    gate = Gate()
    await gate.open()

    assert await ask(gate, b"\x05\x01\x00\x09\x00\x00") == b"\x05\x00"
    assert gate.refusals.list_attempts() == ()
    gate.close()


async def test_a_gate_that_is_lent_again_has_noted_nothing(monkeypatch):
    monkeypatch.setattr("rollouts.browser.process.gates.MAX_PAGES", 1)
    gates = Gates()
    await gates.open()
    gate = gates.take()
    gate.refusals.note("evil.test", 80)

    gates.give_back(gate)

    assert gates.take().refusals.list_attempts() == ()
    gates.close()


async def test_more_pages_than_gates_are_not_opened(monkeypatch):
    monkeypatch.setattr("rollouts.browser.process.gates.MAX_PAGES", 1)
    gates = Gates()
    await gates.open()
    gates.take()

    with pytest.raises(HarnessBroken, match="1 pages are open"):
        gates.take()
    gates.close()


async def test_exceptions_name_hosts_with_their_ports():
    hosts = [AllowedHost("::1", 81), AllowedHost("*.localhost", 80, "127.0.0.1")]

    assert write_exceptions(hosts) == "*.localhost:80,[::1]:81"
