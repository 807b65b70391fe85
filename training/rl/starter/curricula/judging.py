"""The reward model from labelled episodes.

It starts from a model that can do the tasks and learns to say YES or NO after
instruction, actions and last page (paper, section 3.2).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from training.rl.encoding import Encoder
from training.rl.orm.reward_model import NO, YES, verdict_token_ids
from training.rl.phase.augmentation import augment
from training.rl.starter.curricula.hard_negatives import HardNegatives
from training.rl.starter.curricula.reading import lookup_marks
from training.rl.starter.curricula.sequences import (
    GIVEN,
    LOOKUP,
    TARGET,
    MaskedSequence,
)
from training.rl.starter.episodes import RecordedEpisode
from training.rl.starter.fitting import fit
from training.rl.starter.tokenizer import ASSISTANT
from training.rl.types import Trajectory

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def train_reward_model(
    model: PreTrainedModel,
    encoder: Encoder,
    episodes: Sequence[RecordedEpisode],
    negatives: HardNegatives,
    words: Sequence[str],
    *,
    steps: int,
    learning_rate: float,
    batch_size: int,
    seed: int,
    on_step: Callable[[int, float, float], None],
) -> None:
    """Train in place on batches that mix both outcomes, under other names."""
    fit(
        model,
        MixedOutcomes(encoder, episodes, negatives, words, batch_size, seed),
        steps=steps,
        learning_rate=learning_rate,
        on_step=on_step,
        kind="muon",
    )


# A reward model trained on too large a share of successes says YES too often to a
# policy that mostly fails, and training cannot undo a wrong YES.
SUCCESS_SHARE = 0.2
# Share of a batch that is demonstrations made wrong.
HARD_NEGATIVE_SHARE = 0.4


class MixedOutcomes:
    """Batches of successes, failures and negatives, each episode with other names.

    Replacing the names in the instruction does not change the outcome, and a reward
    model that memorises the tasks is wrong about new ones. In a success the actions are
    targets too, so that the model knows what should have been done; the verdict has a
    separate mean loss (LOOKUP), or the many tokens of the actions would outweigh it.
    """

    def __init__(
        self,
        encoder: Encoder,
        episodes: Sequence[RecordedEpisode],
        negatives: HardNegatives,
        words: Sequence[str],
        batch_size: int,
        seed: int,
    ) -> None:
        """Check that both outcomes occur."""
        yes, no = verdict_token_ids(encoder.tokenizer)
        self._verdicts = {True: yes, False: no}
        self._episodes = {
            outcome: [e.trajectory for e in episodes if e.outcome is outcome]
            for outcome in (True, False)
        }
        if not all(self._episodes.values()):
            raise ValueError(f"Both outcomes are needed to learn {YES} and {NO}.")
        self._negatives, self._size = negatives, batch_size
        self._encoder, self._words = encoder, words
        self._rng = random.Random(seed)
        self._marks = ActionMarks(encoder)

    def next_batch(self) -> list[MaskedSequence]:
        """Successes, negatives, then failures."""
        rng, size = self._rng, self._size
        successes, made = round(SUCCESS_SHARE * size), round(HARD_NEGATIVE_SHARE * size)
        return [
            *(self._row(self._drawn(True), True) for _ in range(successes)),
            *(self._row(self._negatives.draw(rng), False) for _ in range(made)),
            *(
                self._row(self._drawn(False), False)
                for _ in range(size - successes - made)
            ),
        ]

    def report(self, accuracy: float) -> None:
        """Nothing to adapt."""

    def _drawn(self, outcome: bool) -> Trajectory:
        shown = self._rng.choice(self._episodes[outcome])
        return augment(self._rng, shown, self._words)

    def _row(self, trajectory: Trajectory, outcome: bool) -> MaskedSequence:
        ids = self._encoder.encode_verdict(
            trajectory.instruction,
            [step.output for step in trajectory.transitions],
            trajectory.final_observation,
        )
        parts = self._marks.parts(ids) if outcome else (GIVEN,) * len(ids)
        return MaskedSequence((*ids, self._verdicts[outcome]), (*parts, LOOKUP))


class ActionMarks:
    """Finds the actions' tokens in a verdict's prompt of the starter tokenizer."""

    def __init__(self, encoder: Encoder) -> None:
        """Look up the tokens around the actions."""
        tokenizer = encoder.tokenizer
        self._begin = tokenizer.convert_tokens_to_ids(ASSISTANT)
        self._end = tokenizer.eos_token_id
        self._lookup = lookup_marks(encoder)

    def parts(self, ids: Sequence[int]) -> tuple[int, ...]:
        """Return TARGET for actions but not for ids, which are on pages not shown."""
        begin = ids.index(self._begin) + 1
        end = ids.index(self._end, begin)
        return tuple(
            TARGET if begin <= place < end and ids[place - 1] != self._lookup else GIVEN
            for place in range(len(ids))
        )
