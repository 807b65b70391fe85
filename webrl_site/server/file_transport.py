"""The embedded broker: a folder per queue, a file per message, no server.

A message only wakes a worker, so losing one costs a tick of the sweep, but there must
never be half a message. Files are written under a temporary name and renamed. Taking
one is a rename too, so two workers never get the same; a file that is not a message
goes to `dead/`. kombu's own file transport does none of this: it loses large messages
without a crash, and an empty file ends its worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any
from urllib.parse import quote

from kombu import Connection
from kombu.transport import TRANSPORT_ALIASES, virtual

SCHEME = "files"
# More waiting messages than this are old wake-ups: the oldest are dropped.
MAX_MESSAGES = 2000
SUFFIX = ".json"


class Channel(virtual.Channel):
    """Direct exchanges only: neither broadcasts nor remote control."""

    supports_fanout = False
    do_restore = False

    @property
    def root(self) -> Path:
        """Where the queues' folders are."""
        return Path(self.connection.client.transport_options["folder"])

    def _folder(self, queue: str) -> Path:
        """Return the queue's folder; its name cannot lead elsewhere."""
        return self.root / f"queue-{quote(queue, safe='')}"

    def _new_queue(self, queue: str, **_: object) -> None:
        self._folder(queue).mkdir(parents=True, exist_ok=True, mode=0o700)

    def _has_queue(self, queue: str, **_: object) -> bool:
        return self._folder(queue).is_dir()

    def _put(self, queue: str, message: dict[str, Any], **_: object) -> None:
        folder = self._folder(queue)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex}"
        temporary = folder / f".{name}"
        temporary.write_text(json.dumps(message), encoding="utf-8")
        temporary.rename(folder / f"{name}{SUFFIX}")
        for old in self._list(queue)[:-MAX_MESSAGES]:
            (folder / old).unlink(missing_ok=True)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        """Take the oldest message.

        Raises:
            Empty: There is none.
        """
        folder = self._folder(queue)
        for name in self._list(queue):
            taken = folder / f".taken-{name}"
            try:
                (folder / name).rename(taken)
            except OSError:
                continue  # another worker was faster
            message = self._read(taken)
            if message is not None:
                return message
        raise Empty

    def _read(self, path: Path) -> dict[str, Any] | None:
        """Read and remove a message; a file of another kind is moved to `dead/`."""
        try:
            message = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(message, dict) or "properties" not in message:
                raise ValueError("not a message")
        except (OSError, ValueError, RecursionError):
            dead = self.root / "dead"
            dead.mkdir(exist_ok=True, mode=0o700)
            with contextlib.suppress(OSError):
                path.rename(dead / path.name.removeprefix(".taken-"))
            return None
        path.unlink(missing_ok=True)
        return message

    def _list(self, queue: str) -> list[str]:
        """Return the waiting messages' names, the oldest first."""
        try:
            names = os.listdir(self._folder(queue))  # noqa: PTH208 - names only
        except OSError:
            return []
        return sorted(name for name in names if name[0] != "." and SUFFIX in name)

    def _size(self, queue: str) -> int:
        return len(self._list(queue))

    def _purge(self, queue: str) -> int:
        names = self._list(queue)
        for name in names:
            (self._folder(queue) / name).unlink(missing_ok=True)
        return len(names)

    def _delete(self, queue: str, *_: object, **__: object) -> None:
        self._purge(queue)


class Transport(virtual.Transport):
    """The transport of `files://` addresses."""

    Channel = Channel
    global_state = virtual.BrokerState()
    implements = virtual.Transport.implements.extend(
        asynchronous=False, exchange_type=frozenset(["direct"])
    )
    driver_type = driver_name = SCHEME

    def __init__(self, client: Connection, **kwargs: object) -> None:
        super().__init__(client, **kwargs)
        self.state = self.global_state

    def driver_version(self) -> str:
        return "1"


def register() -> None:
    """Let broker addresses begin with `files://`."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
