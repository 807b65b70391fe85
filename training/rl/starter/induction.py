"""First stages: copy random sequences, then look up what stood before a copy.

A small model does not learn to read an element's id off a page from pages alone: it
stays at chance for thousands of steps. Repeating random sequences makes the attention
heads that find an earlier occurrence of a token; looking up random records then makes
them fetch what stood before it, as `<a id="7">Cart</a>` demands. Both use random
tokens of the whole vocabulary, so that nothing can be learned by heart.
"""

from __future__ import annotations

import random

from training.rl.starter.fitting import GIVEN, LOOKUP, TARGET, MaskedSequence

# Random tokens are drawn above the control tokens and the markup stand-ins.
MARKUP = range(10, 90)
NUMBERS = (100, 200)
FIRST_LABEL = 200
MASTERED = 0.9
PATIENCE = 8


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
            self._rng.randrange(MARKUP[0], self._vocabulary_size) for _ in range(length)
        ]
        parts = (GIVEN,) * (length + 1) + (TARGET,) * (length - 1)
        return MaskedSequence((*half, *half), parts)

    def report(self, accuracy: float) -> None:
        """Nothing to adapt."""


class Records:
    """Random records "mark number mark label mark", then labels whose number is asked.

    Harder as it is mastered: more records, longer labels, filler between label and
    answer, then still more records.
    """

    def __init__(self, vocabulary_size: int, batch_size: int, seed: int) -> None:
        """Begin with six records of one-token labels."""
        self._vocabulary_size, self._batch_size = vocabulary_size, batch_size
        self._rng = random.Random(seed)
        self._repeats = RepeatedSequences(vocabulary_size, 1, seed + 1)
        self.records, self.label_length, self.filler = 6, 1, 0
        self._recent: list[float] = []

    def next_batch(self) -> list[MaskedSequence]:
        """Mostly records, and some repeats so that copying is not unlearned."""
        repeats = self._batch_size // 8
        rows = [self._repeats.sequence(24) for _ in range(repeats)]
        return rows + [self.sequence() for _ in range(self._batch_size - repeats)]

    def sequence(self) -> MaskedSequence:
        """One set of records and up to twelve questions about them."""
        rng = self._rng
        count = rng.randint(max(2, self.records // 2), self.records)
        numbers = rng.sample(range(*NUMBERS), count)
        records = [(number, self._label()) for number in numbers]
        ids: list[int] = []
        for number, label in records:
            ids += [MARKUP[0], number, MARKUP[1], *label, MARKUP[2]]
        parts = [GIVEN] * len(ids)
        for number, label in rng.sample(records, min(count, 12)):
            ask = [MARKUP[3], *self._noise(), *label, MARKUP[4], *self._noise()]
            ids += [*ask, MARKUP[5], number]
            parts += [GIVEN] * (len(ask) + 1) + [LOOKUP]
        return MaskedSequence(tuple(ids), tuple(parts))

    def report(self, accuracy: float) -> None:
        """Make it harder after PATIENCE batches at or above MASTERED."""
        self._recent = [*self._recent, accuracy][-PATIENCE:]
        if len(self._recent) < PATIENCE or sum(self._recent) < MASTERED * PATIENCE:
            return
        self._recent = []
        if self.records < 10:
            self.records += 1
        elif self.label_length < 3:
            self.label_length += 1
        elif self.filler < 4:
            self.filler += 1
        else:
            self.records = min(28, self.records + 1)

    def _label(self) -> tuple[int, ...]:
        length = self._rng.randint(1, self.label_length)
        draw = self._rng.randrange
        return tuple(draw(FIRST_LABEL, self._vocabulary_size) for _ in range(length))

    def _noise(self) -> list[int]:
        count = self._rng.randint(0, self.filler)
        return [self._rng.choice(MARKUP[6:]) for _ in range(count)]
