"""S3: addresses of the lab's own network in every spelling, at every entry point."""

from __future__ import annotations

import contextlib
import itertools
import json
import secrets

import httpx
from django.test import override_settings

from curriculum.errors import WorkbenchError
from curriculum.rules.public_addresses import find_addresses
from drills.hostile.canary import Canary, canary
from drills.outcome import Outcome
from rollouts.policies.guarded_transport import GuardedTransport
from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions
from rollouts.policies.protocol import PolicyFailed, PolicyRequest, PolicyUnavailable
from rollouts.services.loading import list_private_hosts, policy_key
from tests.rollouts.policies.test_guarded_transport import SPELLINGS
from webrl_site.runs.launching import NewRunSerializer, make_run

SCHEMES = ("http", "https")
MORE = (
    *("127.0.0.1.", "localhost.", "127.1.", "a.localhost", "[::ffff:0:127.0.0.1]"),
    *("0x7f.0x0.0x0.0x1", "00000177.0.0.1", "127.000.000.001", "[::ffff:a9fe:a9fe]"),
    *("100.100.100.200", "192.168.0.1.", "[fe80::1%25lo]", "127.0.0.1%00.example.org"),
    *("%31%32%37.0.0.1", "[0000::1]", "[::1%25lo]", "0x7F000001", "017700000001."),
    *("1.1.1.1@127.0.0.1", "127.0.0.1#@1.1.1.1", "127.0.0.1?@1.1.1.1", "\uff11.0.0.1"),
    *("127.0.0.1\\@1.1.1.1", "localhost.localdomain", "ip6-localhost", "[::0:1]"),
)
REQUEST = PolicyRequest("Buy a mug", (), (), "<html></html>", 1)


def measure() -> Outcome:
    """Try every spelling at every entry point, then rebinding and redirects."""
    hosts = sorted({*SPELLINGS, *MORE})
    with canary(403) as watched:
        urls = [
            f"{scheme}://{host}:{watched.port}/v1#model"
            for scheme, host in itertools.product(SCHEMES, hosts)
        ]
        for url in urls:
            ask(url)
        called = len(watched.hits)
        runs = sum(map(_makes_run, urls))
        rebound = _rebind(watched)
        redirected = _redirect(watched)
        # The canary must be running, or the absence of requests proves nothing.
        ask(f"http://127.0.0.1:{watched.port}/v1#model", "127.0.0.1")
        is_alive = bool(watched.hits)
    text = (
        f"{len(urls)} URLs: {called} hits when called, {runs} runs made with one; "
        f"rebinding {rebound} hits, redirects {redirected} hits; "
        f"an allowed address is called: {is_alive}"
    )
    return Outcome(text, is_alive and not (called or runs or rebound or redirected))


def ask(uri: str, *private_hosts: str) -> None:
    """Let a policy call the address once, as a collecting worker does."""
    options = HttpPolicyOptions(
        private_hosts=(*list_private_hosts(uri), *private_hosts),
        api_key=policy_key(uri),
        attempts=1,
        timeout_s=5,
    )
    with contextlib.suppress(httpx.InvalidURL, ValueError):
        policy = HttpPolicy(uri, options)
        try:
            with contextlib.suppress(PolicyFailed, PolicyUnavailable):
                policy.act([REQUEST])
        finally:
            policy.close()


def _makes_run(uri: str) -> bool:
    """Return whether a researcher's request makes a run with this policy."""
    name = secrets.token_hex(6)
    form = NewRunSerializer(data={"name": name, "policy_uri": uri})
    if not form.is_valid():
        return False
    try:
        make_run(dict(form.validated_data), None)
    except WorkbenchError:
        return False
    return True


def _rebind(watched: Canary) -> int:
    """Let a name resolve differently the second time; return how often it worked."""
    before = len(watched.hits)
    answers = iter(["1.1.1.1", *(["127.0.0.1"] * 9)])

    def find(host: str, port: int, allowed: object = ()) -> list[str]:
        # The check sees the first answer; a second lookup gets the second.
        found = next(answers)
        return find_addresses(found, port)

    with httpx.Client(transport=GuardedTransport(find=find), timeout=1) as asking:
        for _ in range(2):
            with contextlib.suppress(Exception):
                asking.get(f"http://rebinding.invalid:{watched.port}/")
    return len(watched.hits) - before


def _redirect(watched: Canary) -> int:
    """Let an allowed server redirect the policy; return how often it followed."""
    before = len(watched.hits)
    target = f"http://127.0.0.1:{watched.port}/v1/chat/completions"
    for status in (301, 302, 303, 307, 308):
        with canary(status, target, json.dumps({}).encode()) as open_one:
            with override_settings(
                ALLOWED_PRIVATE_HOSTS=[f"localhost:{open_one.port}"]
            ):
                ask(f"http://localhost:{open_one.port}/v1#model")
            if not open_one.hits:
                raise RuntimeError("The redirecting server was never asked.")
    return len(watched.hits) - before
