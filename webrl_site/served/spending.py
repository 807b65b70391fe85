"""What a run's served policy has read, written and cost."""

from __future__ import annotations

import dataclasses

from curriculum.models import Run
from curriculum.phase_config import RolloutConfig
from curriculum.rules.checkpoints import is_served
from rollouts.serving.usage import Usage, count_usage
from webrl_site.runs.config import complete


@dataclasses.dataclass(frozen=True, slots=True)
class Spending:
    """Of one run.

    Attributes:
        cost: In the currency of the prices; None where no price is set.
        budget: What may be spent; 0 for no limit.
    """

    uri: str
    usage: Usage
    cost: float | None
    budget: float


def describe_spending(run: Run) -> Spending | None:
    """Return it in one query; None for a run whose policy acts on this machine."""
    uri = run.served_uri or run.policy_uri
    if not is_served(uri):
        return None
    config = RolloutConfig(**complete(run.config)["rollout"])
    usage = count_usage(run.pk)
    has_price = bool(config.prompt_price or config.answer_price)
    cost = usage.cost(config) if has_price else None
    return Spending(uri, usage, cost, config.budget)
