"""The conversation that the policy was given at a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rollouts.browser.observation.page_script import Form
from rollouts.models import Step, Trajectory
from rollouts.policies.prompts import Message, build_messages
from rollouts.policies.protocol import PolicyRequest
from rollouts.policies.served_prompts import PromptOptions, compose
from rollouts.policies.trained_prompts import read_prompt


@dataclasses.dataclass(frozen=True, slots=True)
class Prompt:
    """The messages, oldest first; none where the record does not know them.

    `limit` is the most tokens that the policy reads: a longer page is cut at its
    end; 0 where the messages here are cut already.
    """

    messages: list[Message]
    limit: int


def describe_prompt(
    trajectory: Trajectory, earlier: Sequence[Step], observation: str
) -> Prompt:
    """Return what the trajectory's policy was given after the earlier steps."""
    if not trajectory.phase.run.config.get("import", {}).get("has_prompts", True):
        return Prompt([], 0)
    request = PolicyRequest(
        instruction=trajectory.task.instruction,
        history=tuple(step.output for step in earlier),
        errors=tuple(step.error for step in earlier),
        observation=observation,
        seed=0,
    )
    limit = _read_limit(trajectory)
    if policy_uri(trajectory).startswith(("http://", "https://")):
        return Prompt(_served_messages(trajectory, request, limit), 0)
    trained = read_prompt(_rollout(trajectory))
    if trained.name == "webrl":
        return Prompt(_served_messages(trajectory, request, limit), limit)
    messages = build_messages(
        request.instruction,
        request.history,
        request.errors,
        observation,
        old_page=trained.old_page,
    )
    return Prompt(messages, limit)


def _served_messages(
    trajectory: Trajectory, request: PolicyRequest, limit: int
) -> list[Message]:
    """Return what the model was sent, without the system prompt, which is constant."""
    prompt = _rollout(trajectory).get("served_prompt", "manual")
    turns = _rollout(trajectory).get("chat_turns", "usual")
    options = PromptOptions(prompt, limit, observed_form(trajectory), chat_turns=turns)
    sent = compose(request, options)
    told = [one for one in sent.messages if one["role"] != "system"]
    return told or [{"role": "prompt", "content": sent.text}]


def _rollout(trajectory: Trajectory) -> dict[str, Any]:
    settings: dict[str, Any] = trajectory.phase.run.config.get("rollout", {})
    return settings


def observed_form(trajectory: Trajectory) -> Form:
    """Return the form of the model's pages, which a run never changes."""
    form: Form = _rollout(trajectory).get("observation", "compact")
    return form


def policy_uri(trajectory: Trajectory) -> str:
    """Return the address of the weights that acted."""
    phase = trajectory.phase
    is_trained = trajectory.purpose == trajectory.Purpose.EVALUATE
    return phase.next_policy_uri if is_trained else phase.policy_uri


def _read_limit(trajectory: Trajectory) -> int:
    algorithm = trajectory.phase.run.config.get("algorithm", {})
    return int(algorithm.get("max_prompt_tokens", PromptOptions().max_prompt_tokens))
