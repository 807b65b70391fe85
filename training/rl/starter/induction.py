"""First stage: repeat random token sequences.

A small model does not learn to read an element's id off a page from pages alone: it
stays at chance for thousands of steps. Repeating random sequences makes the attention
heads that find an earlier occurrence of a token; `records` builds on them.
"""

from __future__ import annotations

import random

from training.rl.starter.fitting import GIVEN, TARGET, MaskedSequence

# Ids below are control tokens.
FIRST_TOKEN = 8


class RepeatedSequences:
    """Random sequences of 24 to 48 tokens, each written twice."""

    def __init__(self, vocabulary_size: int, batch_size: int, seed: int) -> None:
        """Seed the draws."""
        self._vocabulary_size, self._batch_size = vocabulary_size, batch_size
        self._rng = random.Random(seed)

    def next_batch(self) -> list[MaskedSequence]:
        """Sequences of one length, so that nothing is padded."""
        length = self._rng.choice((24, 32, 40, 48))
        return [self.sequence(length) for _ in range(self._batch_size)]

    def sequence(self, length: int) -> MaskedSequence:
        """One sequence of `length` tokens and its repeat, which is the target."""
        half = [
            self._rng.randrange(FIRST_TOKEN, self._vocabulary_size)
            for _ in range(length)
        ]
        parts = (GIVEN,) * (length + 1) + (TARGET,) * (length - 1)
        return MaskedSequence((*half, *half), parts)

    def report(self, accuracy: float) -> None:
        """Nothing to adapt."""
