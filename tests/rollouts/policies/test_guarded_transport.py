"""No spelling of an address that a user typed reaches the lab's own network."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from curriculum.errors import CheckpointError
from curriculum.rules.checkpoints import resolve_checkpoint
from curriculum.rules.public_addresses import (
    AddressRefused,
    find_addresses,
    is_public,
)
from rollouts.policies.guarded_transport import GuardedTransport
from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions
from rollouts.policies.protocol import PolicyFailed, PolicyRequest
from tests.ipv6 import needs_ipv6

REQUEST = PolicyRequest("Buy a mug", (), (), "", 5)
SECRET = "what only the lab may read"
# All of them mean this machine, or a neighbour, in some spelling.
SPELLINGS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",  # noqa: S104
    "localhost",
    "LOCALHOST",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "127\u30020\u30020\u30021",
    "\u2460\u2461\u2466.0.0.1",
    "user:word@127.0.0.1",
    "models.example@127.0.0.1",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.0.1",
    "192.168.1.254",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fc00::1]",
    "[fec0::1]",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[2001:0:7f00:1::]",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"]


class Canary:
    """A server of the lab's own; `hits` are the requests that reached it."""

    def __init__(self, family: int = socket.AF_INET) -> None:
        self.hits: list[str] = []
        canary = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                canary.hits.append(self.headers["Host"])
                self.send_response(403)
                self.end_headers()
                self.wfile.write(SECRET.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            address_family = family

        host = "::1" if family == socket.AF_INET6 else "127.0.0.1"
        self.server = Server((host, 0), Handler)
        self.port = self.server.server_address[1]


@pytest.fixture
def canary() -> Iterator[Canary]:
    found = Canary()
    thread = threading.Thread(target=found.server.serve_forever)
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


def ask(uri: str, *private_hosts: str) -> str:
    """Return why the policy did not answer."""
    options = HttpPolicyOptions(private_hosts=private_hosts, attempts=1, timeout_s=5)
    policy = HttpPolicy(uri, options)
    try:
        with pytest.raises(PolicyFailed) as failure:
            policy.act([REQUEST])
    finally:
        policy.close()
    return str(failure.value)


@pytest.mark.parametrize("host", SPELLINGS)
def test_an_address_of_the_lab_is_never_called(host: str, canary: Canary):
    with contextlib.suppress(httpx.InvalidURL):
        ask(f"http://{host}:{canary.port}/v1#model")

    assert canary.hits == []


def test_an_address_that_the_operator_allows_is_called(canary: Canary):
    uri = f"http://localhost:{canary.port}/v1#model"
    for allowed in ("localhost", f"LocalHost:{canary.port}", "127.0.0.0/8"):
        ask(uri, allowed, "::1/128")

    assert len(canary.hits) == 3


def test_another_port_than_the_allowed_one_is_refused(canary: Canary):
    ask(f"http://127.0.0.1:{canary.port}/v1#model", f"127.0.0.1:{canary.port + 1}")

    assert canary.hits == []


def test_what_a_called_server_says_is_not_shown(canary: Canary):
    told = ask(f"http://127.0.0.1:{canary.port}/v1#model", "127.0.0.1")

    assert canary.hits
    assert told.endswith("refused with status 403: Forbidden")


def test_what_was_checked_is_what_is_connected_to(canary: Canary):
    asked = []

    def find(host: str, port: int, allowed: object) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    # This name resolves nowhere: a second question would find nothing.
    url = f"http://rebinding.invalid:{canary.port}/"
    with httpx.Client(transport=GuardedTransport(find=find)) as client:
        client.post(url)

    assert asked == ["rebinding.invalid"]
    assert canary.hits == [f"rebinding.invalid:{canary.port}"]


def test_the_next_address_of_a_name_is_tried_where_the_first_does_not_answer(
    canary: Canary,
):
    def find(host: str, port: int, allowed: object) -> list[str]:
        return ["::1", "127.0.0.1"]

    # The canary listens on IPv4 only.
    url = f"http://both.invalid:{canary.port}/"
    with httpx.Client(transport=GuardedTransport(find=find)) as client:
        client.post(url, json={"prompt": "Buy a mug"})

    assert canary.hits == [f"both.invalid:{canary.port}"]


@pytest.mark.parametrize("rule", ["::1", "[::1]", "[::1]:8000", "::/64"])
def test_the_operator_may_allow_an_address_of_ipv6(rule: str):
    assert find_addresses("::1", 8000, [rule]) == ["::1"]


def test_another_port_of_an_allowed_address_of_ipv6_is_refused():
    with pytest.raises(AddressRefused):
        find_addresses("::1", 8001, ["[::1]:8000"])


@needs_ipv6
def test_a_server_of_ipv6_that_the_operator_allows_is_called():
    canary = Canary(socket.AF_INET6)
    threading.Thread(target=canary.server.handle_request).start()

    ask(f"http://[::1]:{canary.port}/v1#model", f"[::1]:{canary.port}")
    canary.server.server_close()

    assert canary.hits == [f"[::1]:{canary.port}"]


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_may_be_called(text: str):
    assert is_public(ipaddress.ip_address(text))
    assert find_addresses(text, 443) == [str(ipaddress.ip_address(text))]


def test_a_name_with_one_private_address_is_refused_whole():
    with pytest.raises(AddressRefused):
        find_addresses("localhost", 80, ["10.0.0.0/8"])


@pytest.mark.parametrize("host", ["127.1", "localhost", "[::1]", "a.localhost", ""])
def test_a_run_with_an_address_of_the_lab_is_not_made(host: str):
    with pytest.raises(CheckpointError, match="is not an allowed address"):
        resolve_checkpoint(f"http://{host}/v1#model")


def test_the_operators_own_address_makes_a_run(settings):
    settings.POLICY_URL = "http://127.0.0.1:8100/v1"

    uri = "http://127.0.0.1:8100/v1#model"
    assert resolve_checkpoint(uri) == uri
    with pytest.raises(CheckpointError):
        resolve_checkpoint("http://127.0.0.1:8100/metrics#model")
