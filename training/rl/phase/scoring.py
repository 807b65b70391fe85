"""Numbers that are computed once per phase and then only read.

Log-probabilities of stored actions under a policy, and from them perplexities.
No reference model and no critic is in memory while the policy trains. Where several
processes train, each computes its share with a model of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from training.rl.batching import collate, split_by_budget
from training.rl.checkpoints import uses_bfloat16
from training.rl.critic import Critic, estimate_values
from training.rl.encoding import Encoder, Example, PromptTooLong
from training.rl.policy import CausalLM, action_log_probabilities
from training.rl.scale.parallel import share_out
from training.rl.types import Trajectory


def encode_trajectory(encoder: Encoder, trajectory: Trajectory) -> list[Example]:
    """Return prompt and action of each step, in order.

    Ends before the first step whose instruction and history leave no room for a page:
    the policy was not asked in that step or in any later one.
    """
    examples: list[Example] = []
    for transition in trajectory.transitions:
        try:
            example = encoder.encode_step(
                trajectory.instruction,
                transition.history,
                transition.errors,
                transition.observation,
                transition.output,
                transition.token_ids,
            )
        except PromptTooLong:
            break
        examples.append(example)
    return examples


def encode_last_state(encoder: Encoder, trajectory: Trajectory) -> list[int]:
    """Return the prompt of the page after the last step, or that step's if too long."""
    last, instruction = trajectory.transitions[-1], trajectory.instruction
    try:
        return encoder.encode_prompt(
            instruction,
            # The state after the last action: no step of the episode starts there.
            (*last.history, last.output),
            (*last.errors, ""),
            trajectory.final_observation,
        )
    except PromptTooLong:
        return encoder.encode_prompt(
            instruction, last.history, last.errors, last.observation
        )


@torch.no_grad()
def score_actions(
    model: CausalLM,
    examples: Sequence[Example],
    *,
    pad_id: int,
    budget: int,
    precision: str = "float32",
    on_progress: Callable[[int], None] = lambda done: None,
) -> list[tuple[float, ...]]:
    """Log-probability of each token of each action, in order.

    Args:
        model: A causal language model.
        examples: Prompts with their actions.
        pad_id: Padding token.
        budget: Most padded tokens in one forward pass.
        precision: The setting of that name; the same as in the update, so that a
            log-ratio begins at 0.
        on_progress: Called with the number of examples done.
    """
    model.eval()
    # Where the model is: a trainer may have moved it.
    device = next(model.parameters()).device
    in_bfloat16 = uses_bfloat16(precision)
    found: list[tuple[float, ...]] = [()] * len(examples)
    # By the whole length: the body reads prompt and action, the head only the action.
    lengths = [len(example.ids) for example in examples]
    done = 0
    for index in split_by_budget(lengths, range(len(examples)), budget):
        batch = collate(examples, index, pad_id=pad_id, device=device)
        with torch.autocast(device.type, torch.bfloat16, enabled=in_bfloat16):
            values, mask = action_log_probabilities(model, batch)  # (B, A), (B, A)
        for position, row, count in zip(
            index, values.tolist(), mask.sum(dim=1).tolist(), strict=True
        ):
            found[position] = tuple(row[:count])  # without the padding
        done += len(index)
        on_progress(done)
    return found


def score_together(
    model: CausalLM,
    examples: Sequence[Example],
    *,
    pad_id: int,
    budget: int,
    precision: str,
    on_progress: Callable[[int, int], None],
) -> list[tuple[float, ...]]:
    """Like `score_actions`, with the examples shared out among the processes.

    `on_progress` is called with what this process has done of its share.
    """

    def score(own: list[int]) -> list[tuple[float, ...]]:
        return score_actions(
            model,
            [examples[position] for position in own],
            pad_id=pad_id,
            budget=budget,
            precision=precision,
            on_progress=lambda done: on_progress(done, len(own)),
        )

    lengths = [len(example.ids) for example in examples]
    # Numbers of each example: the tokens of its action.
    sizes = [len(example.ids) - example.prompt_length for example in examples]
    return share_out(lengths, sizes, score)


def value_together(
    critic: Critic, prompts: Sequence[Sequence[int]], *, pad_id: int, budget: int
) -> list[float]:
    """Like `estimate_values`, with the prompts shared out among the processes."""

    def estimate(own: list[int]) -> list[tuple[float]]:
        chosen = [prompts[position] for position in own]
        values = estimate_values(critic, chosen, pad_id=pad_id, budget=budget)
        return [(value,) for value in values]

    lengths = [len(prompt) for prompt in prompts]
    return [value for (value,) in share_out(lengths, [1] * len(prompts), estimate)]
