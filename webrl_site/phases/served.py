"""The phase page's part about the server that acts with the run's weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from curriculum.models import Phase
from rollouts.models import STAGE_PURPOSES, HandOver
from rollouts.serving.usage import ToldTokens, count_told

S = Phase.Status


@dataclasses.dataclass(frozen=True, slots=True)
class Served:
    """The server of one phase.

    Attributes:
        uri: The served model that collects.
        next_uri: The one that acts with the new weights; "" until it exists.
        wanted: The initial value of the field for its address.
        told: For how many collected steps the server returned the sampled tokens.
        is_asked: Whether the phase is stopped and waits for an address or a new try.
    """

    uri: str
    next_uri: str
    wanted: str
    is_asked: bool
    told: ToldTokens
    hand_overs: Sequence[HandOver]


def describe_served(phase: Phase) -> Served | None:
    """Return the server's state in two queries; None if no server acts."""
    if not phase.served_uri:
        return None
    stage = phase.resume_status
    is_trained = stage in (S.HANDING_OVER, S.EVALUATING)
    acts = stage == S.HANDING_OVER or stage in STAGE_PURPOSES
    return Served(
        uri=phase.served_uri,
        next_uri=phase.next_served_uri,
        wanted=(is_trained and phase.next_served_uri) or phase.served_uri,
        is_asked=acts and phase.is_open and not phase.is_moving,
        told=count_told(phase.pk),
        hand_overs=list(phase.hand_overs.select_related("by")),
    )
