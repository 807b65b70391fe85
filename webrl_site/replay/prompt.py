"""The conversation that the policy was given at a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from rollouts.browser.observation.page_script import Form
from rollouts.models import Step, Trajectory
from rollouts.policies.http_policy import HttpPolicyOptions, compose_messages
from rollouts.policies.prompts import Message, build_messages
from rollouts.policies.protocol import PolicyRequest


@dataclasses.dataclass(frozen=True, slots=True)
class Prompt:
    """The messages, oldest first.

    `limit` is the most tokens that the policy reads: a longer page is cut at its
    end; 0 where the messages here are cut already.
    """

    messages: list[Message]
    limit: int


def describe_prompt(
    trajectory: Trajectory, earlier: Sequence[Step], observation: str
) -> Prompt:
    """Return what the trajectory's policy was given after the earlier steps."""
    request = PolicyRequest(
        instruction=trajectory.task.instruction,
        history=tuple(step.output for step in earlier),
        errors=tuple(step.error for step in earlier),
        observation=observation,
        seed=0,
    )
    limit = _read_limit(trajectory)
    if policy_uri(trajectory).startswith(("http://", "https://")):
        options = HttpPolicyOptions(
            max_prompt_tokens=limit,
            with_manual=False,
            observation=observed_form(trajectory),
        )
        return Prompt(compose_messages(request, options), 0)
    messages = build_messages(
        request.instruction, request.history, request.errors, observation
    )
    return Prompt(messages, limit)


def observed_form(trajectory: Trajectory) -> Form:
    """Return what the model's pages were written as; a run never changes it."""
    form: Form = trajectory.phase.run.config.get("rollout", {}).get(
        "observation", "compact"
    )
    return form


def policy_uri(trajectory: Trajectory) -> str:
    """Return the address of the weights that acted."""
    phase = trajectory.phase
    is_trained = trajectory.purpose == trajectory.Purpose.EVALUATE
    return phase.next_policy_uri if is_trained else phase.policy_uri


def _read_limit(trajectory: Trajectory) -> int:
    algorithm = trajectory.phase.run.config.get("algorithm", {})
    return int(
        algorithm.get("max_prompt_tokens", HttpPolicyOptions().max_prompt_tokens)
    )
