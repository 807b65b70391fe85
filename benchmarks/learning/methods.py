"""What is compared: objectives of the one trainer, ablations, and controls."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

Kind = Literal["objective", "ablation", "control"]


@dataclasses.dataclass(frozen=True)
class Method:
    """One row of the table.

    Attributes:
        name: As on the command line.
        about: What it does, in a sentence.
        kind: An objective, an ablation (of `webrl_paper`, or of another chosen
            objective), or a control.
        settings: The trainer's settings that differ from the plan's.
        trains: Whether a phase updates the policy.
        shuffles_rewards: Rewards are shuffled among the episodes.
        filters_tasks: From the second phase on, tasks are kept by the critic's value.
    """

    name: str
    about: str
    kind: Kind
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    trains: bool = True
    shuffles_rewards: bool = False
    filters_tasks: bool = True


WEBRL: Mapping[str, Any] = {"objective": "webrl_paper"}
METHODS: tuple[Method, ...] = (
    Method(
        "sft",
        "Maximum likelihood on every collected step, failures included.",
        "objective",
        {"objective": "sft"},
    ),
    Method(
        "filtered_bc",
        "Maximum likelihood on the steps of successes.",
        "objective",
        {"objective": "filtered_bc"},
    ),
    Method(
        "expert_iteration",
        "Maximum likelihood on all successes so far, from the start again each phase.",
        "objective",
        {"objective": "expert_iteration"},
    ),
    Method(
        "filtered_bc_replay",
        "Filtered BC, with the successes of all earlier phases in each phase.",
        "objective",
        {"objective": "filtered_bc_replay"},
    ),
    Method(
        "awr",
        "Maximum likelihood weighted by the exponential of the advantage.",
        "objective",
        {"objective": "awr"},
    ),
    Method(
        "digirl",
        "Maximum likelihood on steps that pass the advantage filter.",
        "objective",
        {"objective": "digirl"},
    ),
    Method(
        "grpo",
        "Clipped ratio with the outcome normalised within each task's attempts.",
        "objective",
        {"objective": "grpo"},
    ),
    Method(
        "webrl_paper",
        "The paper's squared error (equation 7), replay and curriculum.",
        "objective",
        WEBRL,
    ),
    Method(
        "webrl_reference",
        "The released code's loss.",
        "objective",
        {"objective": "webrl_reference"},
    ),
    Method(
        "no_replay",
        "WebRL without replay.",
        "ablation",
        {**WEBRL, "use_replay": False},
    ),
    Method(
        "no_kl",
        "WebRL without the KL constraint.",
        "ablation",
        {**WEBRL, "use_kl": False},
    ),
    Method(
        "no_curriculum",
        "WebRL on tasks that the critic has not filtered.",
        "ablation",
        WEBRL,
        filters_tasks=False,
    ),
    Method(
        "shuffled_rewards",
        "WebRL with each phase's rewards dealt out at random.",
        "control",
        WEBRL,
        shuffles_rewards=True,
    ),
    Method(
        "exit_bias",
        "The start with nats added to the logit that begins `exit`.",
        "control",
        trains=False,
    ),
    Method(
        "temperature",
        "The start at another sampling temperature.",
        "control",
        trains=False,
    ),
    Method(
        "best_of_n",
        "The reward model picks one of n attempts of the start.",
        "control",
        trains=False,
    ),
)
BY_NAME = {method.name: method for method in METHODS}
