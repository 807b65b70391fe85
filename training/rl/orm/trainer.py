"""Further training of a reward model on judged episodes.

Each row is what the model reads when it judges (instruction, every action, last page);
the loss is the cross-entropy of its choice between YES and NO, which is all that a
verdict depends on. Held-out episodes are scored before and after.

Deviation: the paper trains its reward model once, before the phases. Training it
further on people's verdicts is ours, with the numbers of `orm.config`.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import cross_entropy
from transformers import TrainerCallback

from rollouts.policies.verdict_prompts import VerdictName
from training.rl import checkpoints
from training.rl import metric_names as names
from training.rl.batching import Batch, fit_batch_size
from training.rl.encoding import Encoder, Example
from training.rl.orm.data import (
    BEFORE,
    WEIGHTS,
    JudgedEpisode,
    OrmSpec,
    Score,
    read_rows,
    sum_up,
)
from training.rl.orm.reward_model import (
    RewardModel,
    encode_episode,
    verdict_logits,
    verdict_token_ids,
)
from training.rl.policy import CausalLM
from training.rl.process import is_main
from training.rl.resume import find_newest
from training.rl.scale import parallel
from training.rl.scale.idle import give_back
from training.rl.scale.lora import add_adapter, find_starting_dtype, merge_adapter
from training.rl.trainers import RowTrainer, training_arguments
from training.rl.training_data import TrainingDataError, write_text
from training.rl.webrl_config import WebRLConfig

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclasses.dataclass(frozen=True, slots=True)
class VerdictRow:
    """A reward model's prompt with the right answer."""

    example: Example
    is_success: bool


class VerdictTrainer(RowTrainer[CausalLM, VerdictRow]):
    """Cross-entropy between YES and NO after each prompt."""

    learning_rate_setting = "orm.learning_rate"

    def __init__(self, *args: Any, tokens: tuple[int, int], **options: Any) -> None:
        """Bind the ids of YES and NO, and what every trainer of rows takes."""
        self.tokens = tokens
        super().__init__(*args, **options)

    def row_losses(
        self, model: CausalLM, batch: Batch, rows: list[VerdictRow]
    ) -> torch.Tensor:
        """Loss of each row, (B,)."""
        words = [int(row.is_success) for row in rows]  # 1 is YES
        truth = torch.tensor(words, device=batch.ids.device)  # (B,)
        # Only the two words count: the model's other tokens do not matter.
        logits = verdict_logits(model, batch, self.tokens)  # (B, 2)
        loss = cross_entropy(logits, truth, reduction="none")  # (B,)
        self.collect(names.ORM_LOSS, loss)
        self.collect(names.ORM_ACCURACY, logits.argmax(dim=1) == truth)
        return loss


class OrmTraining:
    """Runs the parts in order in one directory; a part whose file exists is skipped."""

    def __init__(
        self,
        directory: Path,
        spec: OrmSpec,
        *,
        report: Callable[[str, int, float], None],
        on_progress: Callable[[str, int, int], None],
        callbacks: Callable[[str], list[TrainerCallback]],
    ) -> None:
        """Read the judged episodes; the arguments are `PhaseTrainer`'s.

        Raises:
            TrainingDataError: Both words are needed to learn one from the other.
        """
        self.directory, self.spec = directory, spec
        self.report, self.on_progress, self.callbacks = report, on_progress, callbacks
        rows = read_rows(directory)
        # Chosen when the rows were written, by task: no task is on both sides.
        self.held_out = [row for row in rows if row.is_held_out]
        self.rows = [row for row in rows if not row.is_held_out]
        _check_words(self.rows)

    def run(self) -> dict[str, Any]:
        """Score, train and score again; returns its part of `result.json`."""
        # Kept in a file: after the training the old weights are not loaded again.
        before = self._score_before()
        digest, count = self._train()
        after = self._score(self.directory / WEIGHTS, "after")
        scores = [
            Score(row.trajectory_id, row.site, row.is_success, one, other)
            for row, one, other in zip(self.held_out, before, after, strict=True)
            # None: the instruction leaves no room for a page, so there is no score.
            if one is not None and other is not None
        ]
        return {
            "orm_digest": digest,
            "parameter_count": count,
            "accuracy": sum_up(scores),
            "scores": [dataclasses.asdict(score) for score in scores],
        }

    def _score_before(self) -> list[float | None]:
        path = self.directory / BEFORE
        (is_there,) = parallel.agree(is_main() and path.exists())
        if is_there:
            return list(json.loads(path.read_text()))
        scores = self._score(self.spec.base, "before")
        if is_main():
            write_text(path, json.dumps(scores))
        return scores

    def _score(self, weights: Path, part: str) -> list[float | None]:
        self.on_progress(part, 0, len(self.held_out))
        config = self.spec.algorithm
        model = RewardModel(
            weights,
            max_prompt_tokens=config.max_prompt_tokens,
            budget=config.micro_batch_tokens,
            verdict=self.spec.orm.prompt,
        )
        episodes = [row.as_trajectory() for row in self.held_out]

        def score(own: list[int]) -> list[tuple[float]]:
            found = model.score([episodes[position] for position in own])
            return [(math.nan if one is None else one,) for one in found]

        ones = [1] * len(episodes)
        scores = parallel.share_out(ones, ones, score)
        return [None if math.isnan(one) else one for (one,) in scores]

    def _train(self) -> tuple[str, int]:
        """Fit the rows; returns the digest of the weights and how many there are."""
        target, base = self.directory / WEIGHTS, self.spec.base
        if digest := checkpoints.find_finished(target):
            return digest, _count(checkpoints.load_policy_model(target))
        dtype = find_starting_dtype(self.spec.algorithm, self.spec.orm.lora_rank)
        whole = checkpoints.load_policy_model(base, dtype=dtype)
        # Counted here: with several processes each may later hold only a share.
        count = _count(whole)
        tokenizer = checkpoints.load_tokenizer(base)
        config, orm = self.spec.algorithm, self.spec.orm
        model = add_adapter(whole, orm.lora_rank, self.spec.seed)
        rows = encode_rows(tokenizer, self.rows, config, orm.prompt)
        _check_words(rows)
        # Tens of verdicts in batches of 128 would be one optimiser step.
        batch_size = fit_batch_size(
            config.batch_size,
            config.micro_batch_size * parallel.count_processes(),
            len(rows),
        )
        # Not the run's own configuration, which policy and critic keep.
        config = dataclasses.replace(config, batch_size=batch_size)
        folder = self.directory / "orm.training"
        trainer = VerdictTrainer(
            model,
            rows,
            tokens=verdict_token_ids(tokenizer),
            args=training_arguments(
                folder,
                config,
                learning_rate=orm.learning_rate,
                epochs=orm.epochs,
                seed=self.spec.seed,
            ),
            config=config,
            pad_id=tokenizer.pad_token_id,
            seed=self.spec.seed,
            report=self.report,
            callbacks=self.callbacks("orm"),
        )
        trainer.train(resume_from_checkpoint=find_newest(folder))
        state = trainer.whole_weights()
        # It is in reference cycles, which keep the moments until they are looked for.
        del trainer
        give_back()
        if is_main():
            checkpoints.save_checkpoint(
                target,
                merge_adapter(model, base),
                tokenizer,
                extra={"trained_from": str(base)},
                state=None if orm.lora_rank else state,
            )
        parallel.wait_for_all()
        return checkpoints.verify(target), count


def encode_rows(
    tokenizer: PreTrainedTokenizerBase,
    episodes: Sequence[JudgedEpisode],
    config: WebRLConfig,
    verdict: VerdictName = "workbench",
) -> list[VerdictRow]:
    """Return the reward model's prompts, without answers: the logits are the answer.

    An episode whose instruction leaves no room for a page is left out.
    """
    encoder = Encoder(
        tokenizer,
        max_prompt_tokens=config.max_prompt_tokens,
        max_action_tokens=config.max_action_tokens,
        verdict=verdict,
    )
    examples = [encode_episode(encoder, one.as_trajectory()) for one in episodes]
    return [
        VerdictRow(example, one.is_success)
        for one, example in zip(episodes, examples, strict=True)
        if example is not None
    ]


def _check_words(rows: Sequence[JudgedEpisode] | Sequence[VerdictRow]) -> None:
    # With one outcome only, the model learns to always give that word.
    if len({row.is_success for row in rows}) < 2:
        raise TrainingDataError("Both successes and failures are needed to learn from.")


def _count(model: CausalLM) -> int:
    return sum(parameter.numel() for parameter in model.parameters())
