"""The outcome-supervised reward model: did this trajectory succeed?

It reads the instruction, every action and only the last page. The likelihoods of the
next token decide: P(YES) against P(NO), softmax over the two (paper, section 3.2).
The only deviation from the paper is the cut of long pages (`training.rl.encoding`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from rollouts.policies.verdict_prompts import VerdictName
from training.rl import checkpoints
from training.rl.batching import Batch, collate, split_by_budget
from training.rl.encoding import Encoder, Example, PromptTooLong
from training.rl.policy import CausalLM, selected_logits
from training.rl.scale.idle import leave_device
from training.rl.types import Trajectory

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

log = logging.getLogger(__name__)

YES = "YES"
NO = "NO"


def verdict_token_ids(tokenizer: PreTrainedTokenizerBase) -> tuple[int, int]:
    """Return the first token of "YES" and of "NO".

    Raises:
        ValueError: The tokenizer starts both with the same token.
    """
    # One token each: the first decides a word of several tokens.
    yes, no = (
        tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in (YES, NO)
    )
    if yes == no:
        raise ValueError("This tokenizer cannot tell YES from NO by the first token.")
    return yes, no


def verdict_logits(
    model: CausalLM, batch: Batch, token_ids: tuple[int, int]
) -> torch.Tensor:
    """Logits of NO and YES after each prompt, (B, 2)."""
    rows = torch.arange(len(batch.index), device=batch.ids.device)  # (B,)
    # The answer's first token is predicted at the prompt's last one.
    last = batch.lengths - 1  # (B,)
    logits = selected_logits(model, batch, (rows, last))  # (B, V)
    verdicts: torch.Tensor = logits[:, [token_ids[1], token_ids[0]]]  # (B, 2)
    return verdicts


class RewardModel:
    """A loaded reward model."""

    def __init__(
        self,
        directory: Path,
        *,
        max_prompt_tokens: int,
        budget: int,
        verdict: VerdictName = "workbench",
    ) -> None:
        """Load the model and tokenizer of `directory`."""
        self._model = checkpoints.load_policy_model(directory).eval()
        tokenizer = checkpoints.load_tokenizer(directory)
        self._encoder = Encoder(
            tokenizer,
            max_prompt_tokens=max_prompt_tokens,
            max_action_tokens=8,
            verdict=verdict,
        )
        self._tokens = verdict_token_ids(tokenizer)
        self._budget = budget

    @torch.no_grad()
    def score(self, trajectories: Sequence[Trajectory]) -> list[float | None]:
        """P(YES) / (P(YES) + P(NO)) of each trajectory, in order, in [0, 1].

        None if the instruction alone leaves no room for a page.
        """
        examples = [encode_episode(self._encoder, one) for one in trajectories]
        readable = [example for example in examples if example is not None]
        found = iter(self._judge(readable))
        return [None if example is None else next(found) for example in examples]

    def _judge(self, examples: Sequence[Example]) -> list[float]:
        lengths = [len(example.ids) for example in examples]
        scores = [0.0] * len(examples)
        for index in split_by_budget(lengths, range(len(examples)), self._budget):
            batch = collate(
                examples,
                index,
                pad_id=self._encoder.tokenizer.pad_token_id,
                device=next(self._model.parameters()).device,
            )
            logits = verdict_logits(self._model, batch, self._tokens)  # (B, 2)
            # Column 1 is YES; the softmax is over the two words only.
            for position, value in zip(
                index, logits.softmax(-1)[:, 1].tolist(), strict=True
            ):
                scores[position] = value
        return scores

    def close(self) -> None:
        """Free the device; the model is not used again."""
        leave_device(self._model)


def encode_episode(encoder: Encoder, trajectory: Trajectory) -> Example | None:
    """Return the reward model's prompt; None if the instruction alone exceeds it.

    One such task among thousands must not end the scoring of a phase.
    """
    try:
        ids = encoder.encode_verdict(
            trajectory.instruction,
            [transition.output for transition in trajectory.transitions],
            trajectory.final_observation,
        )
    except PromptTooLong as error:
        log.warning("Episode %s is not read: %s", trajectory.trajectory_id, error)
        return None
    return Example(tuple(ids), len(ids))


def load_reward_model(
    path: str,
    *,
    max_prompt_tokens: int,
    budget: int,
    verdict: VerdictName = "workbench",
) -> RewardModel:
    """The reward model that the settings name."""
    return RewardModel(
        Path(path), max_prompt_tokens=max_prompt_tokens, budget=budget, verdict=verdict
    )
