"""Which settings of a stopped or failed phase may be changed, and what that costs.

A setting may be changed as long as no result of its old value would be compared or
mixed with a result of the new value.
"""

from __future__ import annotations

import dataclasses

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from curriculum.models import Phase

S = Phase.Status
STAGES = (
    S.PLANNED,
    S.BASELINE,
    S.COLLECTING,
    S.SCORING,
    S.TRAINING,
    S.HANDING_OVER,
    S.EVALUATING,
    S.EVOLVING,
    S.REVIEW,
)
KEPT = gettext_lazy(
    "If changed, ended episodes are kept; later ones use the new value."
)
# Nothing has used it yet, so there is no message.
FROZEN = ""
RETRAINS = gettext_lazy(
    "If changed, training restarts; episodes, scores and rewards are kept."
)


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """Until which stage a setting may be changed, that stage included.

    Attributes:
        used_from: The first stage that reads it; before it, nothing is lost.
        effect: What is kept and what is discarded from that stage on.
    """

    until: str
    used_from: str
    effect: str | Promise


ROLLOUTS = Rule(S.EVALUATING, S.BASELINE, KEPT)
TRAINING = Rule(S.TRAINING, S.TRAINING, RETRAINS)
EVOLUTION = Rule(
    S.EVOLVING,
    S.EVOLVING,
    gettext_lazy(
        "If changed, tasks already proposed are kept; later ones use the new value."
    ),
)
# Half of a review under one rule and half under another could not be compared.
REVIEWING = Rule(S.EVOLVING, S.REVIEW, FROZEN)
# What the policy sees or does must be the same before and after training.
BEFORE_ROLLOUTS = Rule(S.PLANNED, S.BASELINE, FROZEN)
# A reward model's training continues under the rules it began with.
REWARD_MODEL = Rule(S.SCORING, S.TRAINING, FROZEN)
RULES: dict[str, Rule] = {
    "rollout.contexts": ROLLOUTS,
    "rollout.time_limit_s": ROLLOUTS,
    "rollout.navigation_limit_s": ROLLOUTS,
    "rollout.step_time_limit_s": ROLLOUTS,
    "rollout.max_retries": ROLLOUTS,
    "rollout.prompt_price": ROLLOUTS,
    "rollout.answer_price": ROLLOUTS,
    "rollout.budget": ROLLOUTS,
    "rollout.record_snapshots": ROLLOUTS,
    "rollout.screenshot_share": ROLLOUTS,
    "rollout.traces": ROLLOUTS,
    "rollout.reset_sites": ROLLOUTS,
    "rollout.episodes_per_reset": ROLLOUTS,
    "rollout.share_sites": ROLLOUTS,
    "rollout.step_limit": BEFORE_ROLLOUTS,
    "rollout.whole_page": BEFORE_ROLLOUTS,
    "rollout.observation": BEFORE_ROLLOUTS,
    "rollout.action_dialect": BEFORE_ROLLOUTS,
    "rollout.served_prompt": BEFORE_ROLLOUTS,
    "rollout.chat_turns": BEFORE_ROLLOUTS,
    "rollout.wait_s": BEFORE_ROLLOUTS,
    "rollout.typing": BEFORE_ROLLOUTS,
    "rollout.repeated_limit": BEFORE_ROLLOUTS,
    "rollout.typing_limit": BEFORE_ROLLOUTS,
    "rollout.invalid_limit": BEFORE_ROLLOUTS,
    "rollout.evaluation_temperature": BEFORE_ROLLOUTS,
    "rollout.training_temperature": Rule(S.BASELINE, S.COLLECTING, FROZEN),
    "rollout.final_temperature": Rule(S.BASELINE, S.COLLECTING, FROZEN),
    "rollout.temperature_phases": Rule(S.BASELINE, S.COLLECTING, FROZEN),
    "rollout.evaluation_attempts": BEFORE_ROLLOUTS,
    "rollout.attempts_per_task": Rule(S.BASELINE, S.COLLECTING, FROZEN),
    "algorithm.objective": TRAINING,
    "algorithm.beta": TRAINING,
    "algorithm.use_kl": TRAINING,
    "algorithm.gae_lambda": TRAINING,
    "algorithm.perplexity_low": TRAINING,
    "algorithm.perplexity_high": TRAINING,
    "algorithm.replay_ratio": TRAINING,
    "algorithm.use_replay": TRAINING,
    "algorithm.use_demonstrations": TRAINING,
    "algorithm.kept_quantile": TRAINING,
    "algorithm.max_record_mismatch": TRAINING,
    "algorithm.far_rows": TRAINING,
    "algorithm.cap_targets": TRAINING,
    "algorithm.min_advantage": TRAINING,
    "algorithm.augmented_copies": TRAINING,
    "algorithm.skip_familiar_copies": TRAINING,
    "algorithm.learning_rate_schedule": TRAINING,
    "algorithm.max_kl": TRAINING,
    "algorithm.save_every_s": TRAINING,
    "algorithm.lora_rank": TRAINING,
    "algorithm.critic_lora_rank": TRAINING,
    "algorithm.gradient_checkpointing": TRAINING,
    "algorithm.precision": TRAINING,
    "algorithm.frozen_weights": TRAINING,
    "algorithm.policy_learning_rate": TRAINING,
    "algorithm.policy_epochs": TRAINING,
    "algorithm.critic_learning_rate": TRAINING,
    "algorithm.critic_epochs": TRAINING,
    "algorithm.batch_size": TRAINING,
    "algorithm.micro_batch_size": TRAINING,
    "algorithm.micro_batch_tokens": TRAINING,
    "algorithm.max_gradient_norm": TRAINING,
    "algorithm.max_prompt_tokens": BEFORE_ROLLOUTS,
    "algorithm.max_action_tokens": BEFORE_ROLLOUTS,
    # All of a phase's episodes are asked the same question.
    "orm.prompt": Rule(S.COLLECTING, S.SCORING, FROZEN),
    "orm.rewards": REWARD_MODEL,
    "orm.learn_from_people": REWARD_MODEL,
    "orm.learn_from_evaluators": REWARD_MODEL,
    "orm.least_verdicts": REWARD_MODEL,
    "orm.learning_rate": REWARD_MODEL,
    "orm.epochs": REWARD_MODEL,
    "orm.lora_rank": REWARD_MODEL,
    "orm.rehearsal": REWARD_MODEL,
    "orm.held_out": REWARD_MODEL,
    "review.reviews_per_task": REVIEWING,
    "review.blind_first": REVIEWING,
    "review.gold_rate": REVIEWING,
    "review.gold_threshold": REVIEWING,
    "curriculum.proposals_per_phase": EVOLUTION,
    "curriculum.value_low": EVOLUTION,
    "curriculum.value_high": EVOLUTION,
    "curriculum.use_curriculum": EVOLUTION,
    "curriculum.phases_in_a_row": Rule(
        S.REVIEW, S.REVIEW, gettext_lazy("Only for later phases.")
    ),
    "curriculum.evolved_share": Rule(S.PLANNED, S.PLANNED, FROZEN),
    "curriculum.seed_order": Rule(S.PLANNED, S.PLANNED, FROZEN),
    "curriculum.sites": Rule(S.PLANNED, S.PLANNED, FROZEN),
    "curriculum.tasks_per_phase": Rule(S.PLANNED, S.PLANNED, FROZEN),
    "curriculum.evaluation_tasks": Rule(S.PLANNED, S.BASELINE, FROZEN),
}


def find_stage(phase: Phase) -> str:
    """Return the stage to which a stopped or failed phase goes back."""
    return phase.resume_status or S.PLANNED


def list_editable(phase: Phase) -> dict[str, str]:
    """Return the settings that may be changed now, each with what a change means."""
    here = STAGES.index(S(find_stage(phase)))
    return {
        key: str(rule.effect) if here >= STAGES.index(S(rule.used_from)) else FROZEN
        for key, rule in RULES.items()
        if here <= STAGES.index(S(rule.until))
        and (phase.number == 1 or _later(key))
        # What it has trained is kept: it would not be trained again.
        and not (rule is TRAINING and phase.next_policy_uri)
    }


def _later(key: str) -> bool:
    """Say whether a setting may differ from that of the run's earlier phases.

    Settings of a measurement have to stay the same.
    """
    return RULES[key] is not BEFORE_ROLLOUTS and key not in (
        "curriculum.sites",
        "curriculum.evaluation_tasks",
    )


def describe_reuse(phase: Phase, *, retrains: bool) -> list[str]:
    """Return what a resumed phase keeps, in words."""
    here = STAGES.index(S(find_stage(phase)))
    kept = {
        S.PLANNED: gettext("the weights it starts from"),
        S.BASELINE: gettext("the tasks that were chosen"),
        S.COLLECTING: gettext("every episode that has ended"),
        S.SCORING: gettext("every score"),
        S.TRAINING: gettext("parts of the training that are finished"),
        S.HANDING_OVER: gettext("the new weights"),
        S.EVOLVING: gettext("the success that was measured"),
        S.REVIEW: gettext("all proposals and decisions"),
    }
    found = [text for stage, text in kept.items() if STAGES.index(stage) <= here]
    return [text for text in found if not (retrains and text == kept[S.TRAINING])]
