"""A second machine on this one: a network namespace with a host name of its own.

Its loopback is another one: nothing that listens on the first machine's loopback is
there, and its sandbox is nobody else's. Where the kernel or our rights do not allow
that, the second machine is a folder alone, and `is_apart` says so.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from drills.desk.relay import open_relay

LOOPBACK = "127.0.0.1"
# Of the two ends of the cable between the machines; a network for tests (RFC 2544).
HERE, THERE = "198.18.77.1", "198.18.77.2"
RENAME = 'hostname "$0" && exec "$@"'


class Machine:
    """Where to start the second machine's processes."""

    def __init__(self, name: str, address: str) -> None:
        self.name, self._address = name, address
        self.is_apart = address != LOOPBACK
        self._cleanup = ExitStack()

    def wrap(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """Return the command as it is started there."""
        if not self.is_apart:
            return command
        enter = ("ip", "netns", "exec", self.name, "unshare", "--uts")
        return (*enter, "sh", "-c", RENAME, self.name, *command)

    def reach(self, url: str) -> str:
        """Return the address at which a server of this machine is found from there."""
        port = urlsplit(url).port
        if not self.is_apart or port is None:
            return url
        relay = self._cleanup.enter_context(open_relay(port, self._address))
        return url.replace(f"{LOOPBACK}:{port}", f"{self._address}:{relay.port}")

    def close(self) -> None:
        """Cut the cable."""
        self._cleanup.close()


@contextmanager
def second_machine() -> Iterator[Machine]:
    """Make a second machine, and take it away afterwards."""
    name = f"lab-{secrets.token_hex(3)}"
    machine = Machine(name, HERE if _connect(name) else LOOPBACK)
    try:
        yield machine
    finally:
        machine.close()
        if machine.is_apart:
            _run("ip", "netns", "delete", name)


def _connect(name: str) -> bool:
    """Make the namespace and a cable to it; False where that is not allowed."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        return False
    if not _run("ip", "netns", "add", name):
        return False
    near, far = f"{name[-6:]}-a", f"{name[-6:]}-b"
    there = ("ip", "-n", name)
    done = (
        _run("ip", "link", "add", near, "type", "veth", "peer", "name", far)
        and _run("ip", "link", "set", far, "netns", name)
        and _run("ip", "address", "add", f"{HERE}/30", "dev", near)
        and _run("ip", "link", "set", near, "up")
        and _run(*there, "address", "add", f"{THERE}/30", "dev", far)
        and _run(*there, "link", "set", far, "up")
        and _run(*there, "link", "set", "lo", "up")
    )
    if not done:
        _run("ip", "netns", "delete", name)
    return done


def _run(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
