"""The contract between the collector and the model that acts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol, runtime_checkable


class PolicyFailed(Exception):
    """The policy gave no answer; the message is a whole sentence."""


class PolicyUnavailable(PolicyFailed):
    """The policy's endpoint does not answer at present; a later call may succeed."""

    def __init__(self, message: str, *, wait_s: float = 0.0) -> None:
        """`wait_s` is for how long the endpoint asks not to be called, in seconds."""
        super().__init__(message)
        self.wait_s = wait_s


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyRequest:
    """One waiting episode.

    Attributes:
        instruction: The task's instruction.
        history: Outputs of the steps before this one, oldest first.
        errors: For each of them, why the action failed, or "".
        observation: The current page, in the form that the run has chosen.
        seed: Seed for this one answer; the same request and seed give the same answer.
    """

    instruction: str
    history: tuple[str, ...]
    errors: tuple[str, ...]
    observation: str
    seed: int


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """What the model wrote.

    Attributes:
        output: The answer as text.
        log_probability: Sum over its tokens, at temperature 1.
        token_count: How many tokens.
        token_ids: The sampled tokens, the end of the turn included; empty if unknown.
        token_log_probabilities: The log-probability of each of them.
        prompt_token_count: Tokens of the prompt, where a server bills them.
        waited_s: Seconds of tries without an answer of the server, and of the pauses
            between them. An episode's time limit does not count them.
    """

    output: str
    log_probability: float | None = None
    token_count: int | None = None
    token_ids: tuple[int, ...] = ()
    token_log_probabilities: tuple[float, ...] = ()
    prompt_token_count: int | None = None
    waited_s: float = 0.0


class Policy(Protocol):
    """A model that acts. Called from one thread at a time."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request, in order, in one batch."""
        ...

    def close(self) -> None:
        """Free what the model holds."""
        ...


@runtime_checkable
class RestingPolicy(Policy, Protocol):
    """A policy whose weights can leave the device while it is idle."""

    def rest(self) -> None:
        """Leave the device; the next request brings the weights back."""
        ...


@runtime_checkable
class ConcurrentPolicy(Policy, Protocol):
    """A policy that answers each request separately, such as a served one."""

    @property
    def concurrency(self) -> int:
        """Requests that may run at once."""
        ...

    def answer(self, request: PolicyRequest) -> PolicyAnswer:
        """Answer one request; may be called from several threads at once."""
        ...
