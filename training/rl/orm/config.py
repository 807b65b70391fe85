"""Every number of the reward model's own training, with its meaning and range.

The paper trains its reward model once, before the phases, and gives no number for
further training on people's verdicts: the values here are ours, for an 8B model.
Batch, context, precision and clipping are the algorithm's (`WebRLConfig`).
"""

from __future__ import annotations

import dataclasses
from typing import Literal

from curriculum.rules.setting import check_range, setting

# The algorithm's settings that this training reads; the others do not affect it.
ALGORITHM_READ = (
    *("batch_size", "micro_batch_size", "micro_batch_tokens"),
    *("max_prompt_tokens", "max_action_tokens", "max_gradient_norm"),
    *("precision", "frozen_weights", "gradient_checkpointing"),
)


@dataclasses.dataclass(frozen=True)
class OrmConfig:
    """How the reward model decides, and how it learns from known outcomes."""

    prompt: Literal["workbench", "webrl"] = setting(
        "workbench",
        "What the reward model is asked: our question, or the one that WebRL's "
        "released reward model was trained on.",
    )
    rewards: Literal["reward_model", "evaluators"] = setting(
        "reward_model",
        "What training takes as an episode's outcome: the reward model's "
        "verdict (paper), or people's verdicts, then the evaluators' "
        "outcomes, and the reward model only where neither has decided.",
    )
    learn_from_people: bool = setting(
        False, "Train the reward model of the next phase on people's verdicts."
    )
    learn_from_evaluators: bool = setting(
        False,
        "Train the reward model of the next phase on the evaluators' outcomes of its "
        "newest training episodes; a person's verdict overrules them.",
    )
    # Below this a held-out fifth is four episodes, and its accuracy means nothing.
    least_verdicts: int = setting(
        20, "Minimum number of judged episodes to learn from.", low=2, high=10**6
    )
    learning_rate: float = setting(
        1e-6, "Constant (for 8B; small models need more).", low=0, high=1
    )
    epochs: int = setting(2, "Passes over the rows.", low=1, high=100)
    lora_rank: int = setting(
        0,
        "Rank of the adapters that the reward model's training trains; 0 trains all "
        "weights.",
        low=0,
        high=1024,
    )
    # Verdicts are few and passes several: without rehearsal the rest is forgotten.
    rehearsal: float = setting(
        3.0,
        "At most this many of its own sure verdicts per human verdict, so "
        "that it keeps what it knew.",
        low=0,
        high=100,
    )
    # By task, not by episode: attempts of one task resemble each other.
    held_out: float = setting(
        0.2, "Share of the judged tasks used only for measurement.", low=0, high=0.9
    )

    def __post_init__(self) -> None:
        """Refuse values out of range, naming the field and the range."""
        for field in dataclasses.fields(self):
            check_range(field, getattr(self, field.name))
