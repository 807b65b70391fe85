"""The operator's settings of a server that acts with weights trained here."""

from __future__ import annotations

import dataclasses
from typing import Literal

Way = Literal["by_hand", "command", "sglang_adapter", "sglang_weights", "vllm_adapter"]
Api = Literal["openai", "sglang"]
# Requests that run at once where the operator names no number.
CONCURRENCY = 64
# Seconds for a hand-over: a server that restarts loads 8B weights in minutes.
DEADLINE_S = 900.0


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoint:
    """One server.

    Attributes:
        api: The calls for answers: OpenAI's, or SGLang's `/generate`.
        takes_token_ids: Whether the server gets the token ids that training reads, for
            a policy that is trained; otherwise it gets messages.
        concurrency: Most requests at once, of all workers together.
        hand_over: How it gets new weights.
        command: For "command": a list of arguments, program first.
        folder: Where the server finds the folder of checkpoints; "" for the same path
            as on this machine.
        deadline_s: Seconds for a hand-over.
        api_key: Sent as a bearer token to this server alone.
    """

    api: Api = "openai"
    takes_token_ids: bool = True
    concurrency: int = CONCURRENCY
    hand_over: Way = "by_hand"
    command: tuple[str, ...] = ()
    folder: str = ""
    deadline_s: float = DEADLINE_S
    api_key: str = dataclasses.field(default="", repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Weights:
    """The weights to hand over.

    Attributes:
        name: Unique for these weights; letters, digits, "-" only.
        digest: Of the checkpoint's files.
        folder: The checkpoint's path on the server.
        adapter: Its adapter's path on the server; "" where there is none.
    """

    name: str
    digest: str
    folder: str
    adapter: str = ""


class HandOverFailed(Exception):
    """The server does not act with the weights; the message says why."""


class HandOverStopped(Exception):
    """It was given up because the stage is over."""
