"""The critic: V(s, I), the probability that the episode will succeed.

A language model's body with two three-layer heads on the hidden state of the last
token (the shape of the released code); the value is the smaller of the two heads'
probabilities. Trained as a classifier (paper, equation 8).

The paper gives no architecture. Deviation from the released code: a head has one logit
and a sigmoid; theirs has two logits and a softmax. Both model one probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from rollouts.policies.trained_prompts import PLAIN, TrainedPrompt
from training.rl import checkpoints
from training.rl.batching import Batch, collate, split_by_budget
from training.rl.encoding import Encoder, Example, PromptTooLong
from training.rl.scale.idle import leave_device
from training.rl.scale.last_layer import reading_only
from training.rl.scale.lora import add_adapter, merge_adapter

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Lower bound of the heads' initial standard deviation, transformers' usual value.
HEAD_INIT_STD = 0.02


class Critic(nn.Module):
    """Body and heads; `forward` gives two logits of success per row."""

    def __init__(
        self, backbone: PreTrainedModel, heads: dict[str, torch.Tensor] | None
    ) -> None:
        """Put new heads on `backbone`, or the given ones."""
        super().__init__()
        self.backbone = backbone
        size = backbone.config.hidden_size
        # The heads differ only by their initial weights; the minimum errs downwards.
        self.heads = nn.ModuleList(_new_head(size) for _ in range(2))
        if heads is not None:
            self.heads.load_state_dict(heads)
        parameter = next(backbone.parameters())
        # The body may be bfloat16: logits of a probability near 0.05 need more digits.
        self.heads.to(device=parameter.device, dtype=torch.float32)

    @property
    def _no_split_modules(self) -> list[str] | None:
        """The body's layers, which FSDP shares out one by one."""
        return getattr(self.backbone, "_no_split_modules", None)

    def activation_checkpointing_enable(self, **options: object) -> None:
        """Make the body compute activations again instead of keeping them."""
        self.backbone.activation_checkpointing_enable(**options)

    def add_adapter(self, rank: int, seed: int) -> None:
        """Freeze the body and add an adapter to it; the heads are trained in full."""
        self.backbone = add_adapter(self.backbone, rank, seed, has_head=False)

    def merge_adapter(self, directory: Path) -> None:
        """Add the adapter, if there is one, to the body's weights in `directory`."""
        self.backbone = merge_adapter(self.backbone, directory, has_head=False)

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits of success of both heads, (B, 2)."""
        rows = torch.arange(len(batch.index), device=batch.ids.device)  # (B,)
        # Causal: only the last token has seen instruction, history and page.
        places = (rows, batch.lengths - 1)
        with reading_only(self.backbone, places):
            # As in `policy.selected_logits`, no mask is needed.
            found = self.backbone(input_ids=batch.ids, use_cache=False)
        last = found.last_hidden_state[places]  # (B, H)
        # Mixed precision would round the heads' numbers, float32 on purpose, as well.
        with torch.autocast(last.device.type, enabled=False):
            # FSDP alone keeps the heads in another type, for the time of a pass.
            first: Any = self.heads[0]
            hidden = last.to(first[0].weight.dtype)
            logits = [head(hidden) for head in self.heads]
        return torch.cat(logits, dim=1)  # (B, 2)

    def value(self, batch: Batch) -> torch.Tensor:
        """The smaller of both heads' probabilities, (B,)."""
        return torch.sigmoid(self(batch)).amin(dim=1)  # min over heads, (B,)

    def save(
        self,
        directory: Path,
        tokenizer: PreTrainedTokenizerBase,
        state: dict[str, torch.Tensor] | None = None,
        **extra: object,
    ) -> str:
        """Write the checkpoint; returns its digest.

        `state` has all weights, for a process that holds only a share of them.
        """
        whole = self.state_dict() if state is None else state
        return checkpoints.save_checkpoint(
            directory,
            self.backbone,
            tokenizer,
            heads=_below("heads.", whole),
            extra=extra,
            state=_below("backbone.", whole),
        )


def load_critic(directory: Path, *, dtype: torch.dtype | None = None) -> Critic:
    """Return a critic from its checkpoint, or a language model with new heads.

    `dtype` is that of the body's weights, as in `checkpoints.load_policy_model`.
    """
    backbone, heads = checkpoints.load_backbone(directory, dtype=dtype)
    return Critic(backbone, heads)


@torch.no_grad()
def estimate_values(
    critic: Critic, prompts: Sequence[Sequence[int]], *, pad_id: int, budget: int
) -> list[float]:
    """V of each prompt, in order.

    Args:
        critic: The critic.
        prompts: Token ids.
        pad_id: Padding token.
        budget: Most padded tokens in one forward pass.
    """
    critic.eval()
    examples = [Example(tuple(ids), len(ids)) for ids in prompts]
    device = next(critic.parameters()).device
    # Micro-batches are sorted by length: each value goes back to its prompt's place.
    values = [0.0] * len(examples)
    lengths = [len(example.ids) for example in examples]
    for index in split_by_budget(lengths, range(len(examples)), budget):
        batch = collate(examples, index, pad_id=pad_id, device=device)
        for position, value in zip(index, critic.value(batch).tolist(), strict=True):
            values[position] = value
    return values


class ValueEstimator:
    """V(initial page, instruction) for the curriculum's filter."""

    def __init__(
        self,
        directory: Path,
        *,
        max_prompt_tokens: int,
        budget: int,
        prompt: TrainedPrompt = PLAIN,
    ) -> None:
        """Load the critic of `directory`."""
        self._critic = load_critic(directory)
        self._encoder = Encoder(
            checkpoints.load_tokenizer(directory),
            max_prompt_tokens=max_prompt_tokens,
            max_action_tokens=8,
            prompt=prompt,
        )
        self._budget = budget

    def estimate(self, starts: Sequence[tuple[str, str]]) -> list[float]:
        """Value of each (instruction, observation of the start page), in [0, 1].

        0 if the instruction alone exceeds the prompt: the policy cannot be asked.
        """
        prompts = [self._encode(instruction, page) for instruction, page in starts]
        found = iter(
            estimate_values(
                self._critic,
                [prompt for prompt in prompts if prompt],
                pad_id=self._encoder.tokenizer.pad_token_id,
                budget=self._budget,
            )
        )
        return [next(found) if prompt else 0.0 for prompt in prompts]

    def _encode(self, instruction: str, page: str) -> list[int]:
        try:
            return self._encoder.encode_prompt(instruction, (), (), page)
        except PromptTooLong:
            return []

    def close(self) -> None:
        """Free the device; the estimator is not used again."""
        leave_device(self._critic)


def load_value_estimator(
    path: str,
    *,
    max_prompt_tokens: int,
    budget: int,
    prompt: TrainedPrompt = PLAIN,
) -> ValueEstimator:
    """The estimator that the settings name."""
    return ValueEstimator(
        Path(path), max_prompt_tokens=max_prompt_tokens, budget=budget, prompt=prompt
    )


def _below(prefix: str, state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the tensors whose names have the prefix, by the rest of their names."""
    length = len(prefix)
    return {n[length:]: t for n, t in state.items() if n.startswith(prefix)}


def _new_head(size: int) -> nn.Sequential:
    head = nn.Sequential(
        nn.Linear(size, size),
        nn.ReLU(),
        nn.Linear(size, size),
        nn.ReLU(),
        nn.Linear(size, 1),  # one logit of success
    )
    for layer in head:
        if isinstance(layer, nn.Linear):
            # Unit gain for narrow bodies: at width 128, three layers of std 0.02 pass
            # 1 % of a signal.
            nn.init.normal_(layer.weight, std=max(HEAD_INIT_STD, size**-0.5))
            nn.init.zeros_(layer.bias)
    return head
