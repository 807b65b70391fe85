"""A policy that can solve some of the pages, which it recognises by instruction.

It reads what every policy reads: the instruction and the observation. Which page it
is on, and with which seed, it does not know.
"""

from __future__ import annotations

from collections.abc import Sequence

from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.sites.miniwob.solutions import (
    buttons,
    choices,
    dates,
    fields,
    mail,
    searches,
)
from rollouts.sites.miniwob.solutions.answers import GIVE_UP, REST
from rollouts.sites.miniwob.solutions.reading import Page
from rollouts.sites.miniwob.solutions.rules import Rule

PARTS = (buttons, choices, dates, fields, mail, searches)
RULES: tuple[Rule, ...] = tuple(rule for part in PARTS for rule in part.RULES)
SOLVED_PAGES = tuple(sorted({page for rule in RULES for page in rule.pages}))


class SolutionPolicy:
    """Satisfies `rollouts.policies.protocol.Policy`; gives up where it has no rule."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """The next step of each request."""
        return [PolicyAnswer(next_step(request), 0.0, 0) for request in requests]

    def close(self) -> None:
        """Nothing to free."""


def next_step(request: PolicyRequest) -> str:
    """Return the answer of the first rule that matches the instruction.

    The same action three times in a row would end the episode, so it sometimes waits.
    """
    for rule in RULES:
        match = rule.pattern.fullmatch(request.instruction)
        if match:
            steps = [output for output in request.history if output != REST]
            answer = rule.solve(Page(request.observation), match.groups(), len(steps))
            again = [answer] * 2 == list(request.history[-2:])
            return REST if again else answer
    return GIVE_UP
