"""Fourth stage: questions about pages and demonstrated steps in the same batches.

Demonstrations alone let a small model learn its few pages by heart; the questions keep
it looking ids and words up while it learns what to do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from training.rl.encoding import Example
from training.rl.starter.fitting import MaskedSequence
from training.rl.starter.reading import Pages


class Practice:
    """Batches of `pages` questioned pages and `steps` demonstrated steps."""

    def __init__(
        self,
        pages: Pages,
        examples: Sequence[Example],
        *,
        steps: int,
        seed: int,
    ) -> None:
        """Bind both sources; the pages' own batch size says how many pages."""
        self._pages, self._examples, self._steps = pages, examples, steps
        self._rng = random.Random(seed)

    def next_batch(self) -> list[MaskedSequence]:
        """Pages, then steps."""
        rows = self._pages.next_batch()
        for example in self._rng.choices(self._examples, k=self._steps):
            action = example.ids[example.prompt_length :]
            parts = (0,) * example.prompt_length + self._pages.answer_parts(action)
            rows.append(MaskedSequence(example.ids, parts))
        return rows

    def report(self, accuracy: float) -> None:
        """The pages stay as long as they have become."""
