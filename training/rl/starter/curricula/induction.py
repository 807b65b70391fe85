"""First stage: repeat random token sequences.

A small model does not learn to read an element's id off a page from pages alone: it
stays at chance for thousands of steps. Repeating random sequences forms the attention
heads that find an earlier occurrence of a token; `records` builds on them. With few
different tokens the heads appear within 250 steps, with the whole vocabulary only
after 1,500, so tokens are added as the copying is mastered.
"""

from __future__ import annotations

import random

from training.rl.starter.curricula.sequences import GIVEN, TARGET, MaskedSequence

# Ids below are control tokens.
FIRST_TOKEN = 8
FIRST_COUNT = 128
LENGTH = 64
# Many periods, or heads learn to look a fixed distance back.
PERIODS = (20, 40)
GROWTH = 4
MASTERED = 0.85
MASTERED_BATCHES = 3


class RepeatedSequences:
    """Random tokens repeated with a period drawn from PERIODS."""

    def __init__(self, vocabulary_size: int, batch_size: int, seed: int) -> None:
        """Seed the draws; begin with FIRST_COUNT different tokens."""
        self._vocabulary_size, self._batch_size = vocabulary_size, batch_size
        self._rng = random.Random(seed)
        self._order = list(range(FIRST_TOKEN, vocabulary_size))
        self._rng.shuffle(self._order)
        self.count = min(FIRST_COUNT, len(self._order))
        self._recent: list[float] = []

    def next_batch(self) -> list[MaskedSequence]:
        """Sequences of one length, so that nothing is padded."""
        return [
            self.sequence(self._rng.randint(*PERIODS)) for _ in range(self._batch_size)
        ]

    def sequence(self, period: int) -> MaskedSequence:
        """Return `period` random tokens, repeated; the repeats are targets."""
        unit = [self._order[self._rng.randrange(self.count)] for _ in range(period)]
        ids = (unit * (LENGTH // period + 1))[:LENGTH]
        parts = (GIVEN,) * (period + 1) + (TARGET,) * (LENGTH - period - 1)
        return MaskedSequence(tuple(ids), parts)

    def report(self, accuracy: float) -> None:
        """Use GROWTH times as many tokens after MASTERED_BATCHES mastered batches."""
        self._recent = [*self._recent, accuracy][-MASTERED_BATCHES:]
        if len(self._recent) == MASTERED_BATCHES and min(self._recent) > MASTERED:
            self._recent = []
            self.count = min(len(self._order), int(self.count * GROWTH))
