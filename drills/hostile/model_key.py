"""S10: the operator's key, and addresses that users give in place of the operator's."""

from __future__ import annotations

import secrets

from django.test import override_settings

from drills.hostile.canary import Canary, canary
from drills.hostile.private_addresses import ask
from drills.outcome import Outcome


def measure() -> Outcome:
    """Call the operator's endpoint, and many that look like it, with a key set."""
    key = secrets.token_hex(16)
    with canary() as own, canary() as other:
        url = f"http://localhost:{own.port}/v1"
        hosts = ["127.0.0.1", "localhost"]
        with override_settings(
            POLICY_URL=url, POLICY_API_KEY=key, ALLOWED_PRIVATE_HOSTS=hosts
        ):
            ask(f"{url}#model")
            changed = _change(own, other)
            for uri in changed:
                ask(uri)
            with canary(307, f"http://localhost:{other.port}/") as leading:
                start = f"http://localhost:{leading.port}/v1"
                with override_settings(POLICY_URL=start):
                    ask(f"{start}#model")
        first, *later = own.headers
        leaked = sum(key in str(headers) for headers in [*later, *other.headers])
    asked = len(own.hits) + len(other.hits) - 1
    text = (
        f"the operator's own address got the key: {key in str(first)}; "
        f"{len(changed)} changed addresses and a redirect, {asked} requests: "
        f"{leaked} with the key"
    )
    return Outcome(text, key in str(first) and asked > 0 and not leaked)


def _change(own: Canary, other: Canary) -> list[str]:
    """Return addresses that a user might type to get at the key."""
    return [
        f"http://localhost:{other.port}/v1#model",
        f"http://127.0.0.1:{own.port}/v1#model",
        f"http://LOCALHOST:{own.port}/v1#model",
        f"http://localhost:{own.port}/v1/#model",
        f"http://localhost:{own.port}/V1#model",
        f"http://localhost:{own.port}/v1/../other#model",
        f"http://localhost:{own.port}/v1?x=1#model",
        f"http://localhost:{own.port}@localhost:{other.port}/v1#model",
        f"http://key@localhost:{own.port}/v1#model",
        f"https://localhost:{own.port}/v1#model",
        f"http://localhost.:{own.port}/v1#model",
    ]
