"""Names of the numbers that training reports, all in one place."""

from __future__ import annotations

from typing import Final

POLICY_LOSS: Final = "train/policy_loss"
CRITIC_LOSS: Final = "train/critic_loss"
KL: Final = "train/kl"
PERPLEXITY: Final = "train/perplexity"
GRADIENT_NORM: Final = "train/gradient_norm"
VALUE: Final = "train/value"
ADVANTAGE: Final = "train/advantage"
ADVANTAGE_OF_SUCCESSES: Final = "train/advantage_of_successes"
ADVANTAGE_OF_FAILURES: Final = "train/advantage_of_failures"
CRITIC_ACCURACY: Final = "train/critic_accuracy"
# Summed log-probability of an action: recorded while acting against computed again.
RECORD_MISMATCH: Final = "train/record_mismatch"
MISMATCHED_STEPS: Final = "train/mismatched_steps"
# Their answer is longer than max_action_tokens: it would be trained on cut.
TOO_LONG_STEPS: Final = "train/too_long_steps"
UNRECORDED_STEPS: Final = "train/unrecorded_steps"
# The objective's mean over all used steps, before and after the update.
OBJECTIVE_BEFORE: Final = "train/objective_before"
OBJECTIVE_AFTER: Final = "train/objective_after"
# Share of the used steps whose target asks for a probability above 1.
UNREACHABLE_TARGETS: Final = "train/unreachable_targets"
# Optimiser steps of the policy; fewer than planned where KL stopped them.
POLICY_STEPS: Final = "train/policy_steps"
ORM_LOSS: Final = "train/orm_loss"
ORM_ACCURACY: Final = "train/orm_accuracy"
FRESH_STEPS: Final = "train/fresh_steps"
REPLAYED_STEPS: Final = "train/replayed_steps"
DEMONSTRATED_STEPS: Final = "train/demonstrated_steps"
# Copies of used steps with other names.
AUGMENTED_STEPS: Final = "train/augmented_steps"

# What the training of a phase's critic and policy reports; charts read only these.
PHASE: Final = (
    POLICY_LOSS,
    CRITIC_LOSS,
    KL,
    PERPLEXITY,
    GRADIENT_NORM,
    VALUE,
    ADVANTAGE,
    ADVANTAGE_OF_SUCCESSES,
    ADVANTAGE_OF_FAILURES,
    CRITIC_ACCURACY,
    FRESH_STEPS,
    REPLAYED_STEPS,
    DEMONSTRATED_STEPS,
    AUGMENTED_STEPS,
    RECORD_MISMATCH,
    MISMATCHED_STEPS,
    TOO_LONG_STEPS,
    UNRECORDED_STEPS,
    OBJECTIVE_BEFORE,
    OBJECTIVE_AFTER,
    UNREACHABLE_TARGETS,
    POLICY_STEPS,
)
ALL: Final = (*PHASE, ORM_LOSS, ORM_ACCURACY)
