"""Trivial policies, which tasks must not reward.

Both satisfy `rollouts.policies.protocol.Policy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.sites.kit.vocabulary import TEXTS
from rollouts.sites.sandbox.oracle import ELEMENT, write_exit

EXIT_SHARE = 0.15
WORDS = (*TEXTS, "N/A", "0", "1")


class ExitPolicy:
    """Gives a fixed answer at once, for every task."""

    def __init__(self, answer: str = "") -> None:
        """`answer` is the exit message."""
        self._answer = answer

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """End every episode."""
        return [PolicyAnswer(write_exit(self._answer)) for _ in requests]

    def close(self) -> None:
        """Nothing to free."""


class RandomPolicy:
    """Clicks and types at random, and sometimes ends; the seed decides."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Draw an action for every request from its own seed."""
        return [PolicyAnswer(draw_action(request)) for request in requests]

    def close(self) -> None:
        """Nothing to free."""


def draw_action(request: PolicyRequest) -> str:
    """One action on an element of the page, or the end of the episode."""
    draw = Random(request.seed)
    found = list(ELEMENT.finditer(request.observation))
    if not found or draw.random() < EXIT_SHARE:
        return write_exit(draw.choice(WORDS))
    match = draw.choice(found)
    name = "Type" if match["tag"] in ("input", "textarea") else "Click"
    words = f'argument="{draw.choice(WORDS)}", ' if name == "Type" else ""
    return f'do(action="{name}", {words}element="{match["id"]}")'
