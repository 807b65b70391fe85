"""The oracle with mistakes: labelled attempts for the reward model.

A reward model trained only on perfect episodes and those of a weak policy has seen few
near misses. Here the scripted solver sometimes stops early, takes the wrong element,
types something else or answers wrongly; the evaluators decide the outcome.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.sites.sandbox.oracle import OraclePolicy
from training.rl.starter.curricula.reading import read_elements

NOISE_SHARE = 0.12
MAX_SCROLLS = 2
_ELEMENT = re.compile(r'element="\d+"')
_ARGUMENT = re.compile(r'argument="[^"]*"')
_MESSAGE = re.compile(r'message="[^"]*"')
_COMMENT = re.compile(r"# Element: .*")
_WORD = re.compile(r"[A-Za-z]{3,}|\$?\d+(?:\.\d+)?")


class NoisyOracle:
    """A `Policy` that solves tasks, but not always well."""

    def __init__(self, oracle: OraclePolicy) -> None:
        """Bind the oracle whose steps are followed, with mistakes."""
        self._oracle = oracle

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Return the oracle's next step or a mistake, as the request's seed decides."""
        return [
            PolicyAnswer(self._output(request, answer.output), 0.0, 0)
            for request, answer in zip(
                requests, self._oracle.act(requests), strict=True
            )
        ]

    def close(self) -> None:
        """Nothing to free."""

    def _output(self, request: PolicyRequest, output: str) -> str:
        rng = random.Random(request.seed)
        scrolled = sum("Scroll" in past for past in request.history[-MAX_SCROLLS:])
        if "Scroll" in output and scrolled == MAX_SCROLLS:
            return 'exit(message="")'  # lost after an earlier mistake
        if rng.random() >= NOISE_SHARE:
            return output
        return make_wrong(rng, request.observation, output)


def make_wrong(rng: random.Random, observation: str, output: str) -> str:
    """Return `output` with a mistake, of one of the kinds that fit it."""
    if output.startswith("exit"):
        return _MESSAGE.sub(f'message="{some_word(rng, observation)}"', output)
    if rng.random() < 0.3:
        return 'exit(message="")'
    if "argument=" in output and rng.random() < 0.6:
        return _ARGUMENT.sub(f'argument="{some_word(rng, observation)}"', output)
    elements = read_elements(observation)
    if not elements:
        return output
    _, number, label = rng.choice(elements)
    output = _ELEMENT.sub(f'element="{number}"', output)
    return _COMMENT.sub(lambda _: f"# Element: {label}", output)


def some_word(rng: random.Random, observation: str) -> str:
    """A word or number of a page; empty if it has none."""
    words = _WORD.findall(re.sub(r"<[^>]*>", " ", observation))
    return rng.choice(words) if words else ""
