"""The outcome of several people's decisions about one task. Pure: no database."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Literal

Outcome = Literal["open", "accept", "reject", "dispute"]


@dataclasses.dataclass(frozen=True, slots=True)
class Vote:
    """One person's decision: accept the task with this text, or not at all."""

    accepts: bool
    text: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Settlement:
    """The outcome; `text` is the accepted instruction, empty otherwise."""

    outcome: Outcome
    text: str = ""


def settle(votes: Sequence[Vote], needed: int) -> Settlement:
    """Return what the majority decided once `needed` people have voted.

    More than half decide. A tie is a dispute. So is a majority for accepting in which
    no text has more than half: a person has to choose the text.
    """
    if len(votes) < needed:
        return Settlement("open")
    texts = Counter(vote.text for vote in votes if vote.accepts)
    accepting = texts.total()
    if 2 * accepting < len(votes):
        return Settlement("reject")
    if 2 * accepting == len(votes):
        return Settlement("dispute")
    text, count = texts.most_common(1)[0]
    return (
        Settlement("accept", text) if 2 * count > accepting else Settlement("dispute")
    )
