"""How actions are carried out: our quick way, or as the originals do."""

from __future__ import annotations

import dataclasses
from typing import Literal

Typing = Literal["insert", "keys"]
# WebArena-Lite waits so long between the last letter of a search and Enter.
MAX_ENTER_WAIT_S = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class ActingOptions:
    """How actions are carried out.

    Attributes:
        typing: How a text gets into a field: put in whole, or with a click, the old
            text selected and removed, and one key after the other.
        enter_wait_s: Wait between the last letter of a search and Enter.
    """

    typing: Typing = "insert"
    enter_wait_s: float = 0.0
