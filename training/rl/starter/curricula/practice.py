"""Questions about pages and demonstrated steps in the same batches.

With demonstrations alone a small model memorises its few pages; the questions, and
other names in the demonstrations, make it look up ids and words while it learns what
to do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from training.rl.encoding import Encoder
from training.rl.phase.augmentation import augment
from training.rl.starter.curricula.reading import Pages
from training.rl.starter.curricula.sequences import GIVEN, MaskedSequence
from training.rl.types import Trajectory


class Practice:
    """Batches of questioned pages and `steps` demonstrated steps."""

    def __init__(
        self,
        encoder: Encoder,
        pages: Pages,
        shown: Sequence[Trajectory],
        words: Sequence[str],
        *,
        steps: int,
        seed: int,
    ) -> None:
        """Bind both sources; `pages` has the number of pages in a batch.

        Args:
            encoder: Encoder of the starter tokenizer.
            pages: Pages with questions.
            shown: Demonstrations; each step is drawn equally often.
            words: Words that take the places of names.
            steps: Demonstrated steps per batch.
            seed: Seed of all draws.
        """
        self._encoder, self._pages, self._words = encoder, pages, words
        self._steps, self._rng = steps, random.Random(seed)
        self._shown = [(t, k) for t in shown for k in range(len(t.transitions))]

    def next_batch(self) -> list[MaskedSequence]:
        """Pages, then steps."""
        rows = self._pages.next_batch()
        for trajectory, number in self._rng.choices(self._shown, k=self._steps):
            rows.append(self._step(trajectory, number))
        return rows

    def _step(self, trajectory: Trajectory, number: int) -> MaskedSequence:
        augmented = augment(self._rng, trajectory, self._words)
        step = augmented.transitions[number]
        example = self._encoder.encode_step(
            augmented.instruction,
            step.history,
            step.errors,
            step.observation,
            step.output,
        )
        action = example.ids[example.prompt_length :]
        parts = (GIVEN,) * example.prompt_length + self._pages.answer_parts(action)
        return MaskedSequence(example.ids, parts)

    def report(self, accuracy: float) -> None:
        """Do nothing: the pages keep their length."""
