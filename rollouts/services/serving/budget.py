"""A run that has spent its budget on a served policy waits for a person."""

from __future__ import annotations

from curriculum.models import Phase
from curriculum.phase_config import RolloutConfig
from curriculum.services.phases import pause_phase
from curriculum.texts.sentences import Sentence
from rollouts.serving.usage import count_usage


def keep_budget(*, phase_id: int, stage: str) -> bool:
    """Pause the phase whose run has spent its budget; says whether it may go on."""
    phase = Phase.objects.select_related("run").get(pk=phase_id)
    config = RolloutConfig(**phase.run.config.get("rollout", {}))
    if not config.budget:
        return True
    spent = count_usage(phase.run_id).cost(config)
    if spent < config.budget:
        return True
    reason = Sentence("budget_spent", spent=spent, budget=config.budget)
    pause_phase(phase_id=phase_id, stage=stage, reason=reason)
    return False
