"""Settings of workers whose embedded broker drops three of ten messages."""

from __future__ import annotations

import random
from typing import Any

from tests.services.settings import *  # noqa: F403
from webrl_site.server.file_transport import Channel
from webrl_site.settings import DATA_DIR

SHARE = 0.3
# Holds a byte for each message, written by all processes.
DROPPED, KEPT = "messages-dropped", "messages-kept"

_put = Channel._put
_draw = random.SystemRandom()


def _put_or_drop(
    self: Channel, queue: str, message: dict[str, Any], **more: object
) -> None:
    is_dropped = _draw.random() < SHARE
    with (DATA_DIR / (DROPPED if is_dropped else KEPT)).open("ab") as file:
        file.write(b".")
    if not is_dropped:
        _put(self, queue, message, **more)


Channel._put = _put_or_drop  # type: ignore[method-assign]
