"""Tokens that servers have read and written for a run, and those not reported."""

from __future__ import annotations

import dataclasses

from django.db.models import Count, F, Q, Sum

from curriculum.phase_config import RolloutConfig
from rollouts.models import Step, Trajectory

# Prices are for this many tokens.
TOKENS_PER_PRICE = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that servers have billed to a run.

    Attributes:
        steps: Of all attempts, those that were given up included.
        untold: Steps whose server reported no counts.
    """

    steps: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    untold: int = 0

    def cost(self, config: RolloutConfig) -> float:
        """Return the cost, in the currency of the prices."""
        prompts = self.prompt_tokens * config.prompt_price
        answers = self.answer_tokens * config.answer_price
        return (prompts + answers) / TOKENS_PER_PRICE


@dataclasses.dataclass(frozen=True, slots=True)
class ToldTokens:
    """Number of steps, and of those whose sampled tokens are unknown (`untold`)."""

    steps: int
    untold: int


def count_usage(run_id: int) -> Usage:
    """Count what servers have read and written for the run, in one query."""
    steps = Step.objects.filter(
        trajectory__phase__run_id=run_id, trajectory__acted_by__startswith="http"
    )
    found = steps.aggregate(
        steps=Count("pk"),
        prompt_tokens=Sum("prompt_token_count", default=0),
        answer_tokens=Sum("token_count", default=0),
        untold=Count("pk", filter=Q(prompt_token_count=None)),
    )
    return Usage(**found)


def count_told(phase_id: int) -> ToldTokens:
    """Count the collected steps in use, and those without their tokens."""
    steps = Step.objects.filter(
        trajectory__phase_id=phase_id,
        trajectory__purpose=Trajectory.Purpose.COLLECT,
        attempt=F("trajectory__attempt"),
    )
    found = steps.aggregate(
        steps=Count("pk"), untold=Count("pk", filter=Q(token_ids=[]))
    )
    return ToldTokens(**found)
