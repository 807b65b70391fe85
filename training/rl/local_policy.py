"""A policy from a checkpoint: batched sampling with each answer's log-probability.

Each answer is drawn from a generator seeded by its request, so that it does not depend
on which requests happened to share a batch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.observation.page_script import Form
from rollouts.policies.protocol import Policy, PolicyAnswer, PolicyRequest
from rollouts.policies.served_prompts import PromptName, TurnsName
from rollouts.policies.trained_prompts import TrainedPrompt, choose_prompt
from rollouts.serving.types import Endpoint
from training.rl import checkpoints
from training.rl.acting.sampling import Drawn, Sampler
from training.rl.encoding import Encoder, PromptTooLong
from training.rl.scale.idle import find_device, leave_device, return_to_device

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class LocalPolicy:
    """Satisfies `rollouts.policies.protocol.Policy` with a transformers model."""

    def __init__(
        self, model: PreTrainedModel, encoder: Encoder, *, temperature: float
    ) -> None:
        """Bind a model and its encoder; temperature 0 is greedy."""
        self._encoder = encoder
        self._model = model
        self._device = find_device(model)
        self._sampler = Sampler(
            # Without dropout: the log-probabilities are those that training reads.
            model.eval(),
            ends={encoder.end_id, *_list_ends(model)},
            max_tokens=encoder.max_action_tokens,
            temperature=temperature,
        )

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer every request in one batch.

        A request whose instruction and history alone exceed the prompt gets an empty
        answer: a wasted step for that episode, not a crash for all.
        """
        prompts: list[list[int]] = []
        readable: list[int] = []
        for position, request in enumerate(requests):
            try:
                prompts.append(self._encode(request))
            except PromptTooLong:
                continue
            readable.append(position)
        # No tokens: training uses nothing that the policy did not write.
        answers = [PolicyAnswer("", 0.0, 0)] * len(requests)
        if prompts:
            return_to_device(self._model, self._device)
            seeds = [requests[position].seed for position in readable]
            drawn = self._sampler.sample(prompts, seeds)
            for position, row in zip(readable, drawn, strict=True):
                answers[position] = self._answer(row)
        return answers

    def rest(self) -> None:
        """Free the device until the next request."""
        leave_device(self._model)

    def close(self) -> None:
        """Free the device; the policy is not used again."""
        leave_device(self._model)

    def _encode(self, request: PolicyRequest) -> list[int]:
        return self._encoder.encode_prompt(
            request.instruction, request.history, request.errors, request.observation
        )

    def _answer(self, drawn: Drawn) -> PolicyAnswer:
        """Return a row's tokens, including the end of the turn, as text and as ids."""
        return PolicyAnswer(
            output=self._encoder.decode_action(drawn.ids),
            # log pi(a | s, I) of eq. 7: the sum over the action's tokens.
            log_probability=sum(drawn.scores),
            token_count=len(drawn.ids),
            token_ids=tuple(drawn.ids),
            # float32 is no more exact than this for sums of many tokens.
            token_log_probabilities=tuple(round(s, 6) for s in drawn.scores),
        )


def load_policy(
    uri: str,
    *,
    temperature: float,
    max_prompt_tokens: int,
    max_action_tokens: int,
    api_key: str = "",
    observation: Form = "compact",
    action_dialect: DialectName = "webrl",
    private_hosts: tuple[str, ...] = (),
    served_prompt: PromptName = "manual",
    vab_system: str = "",
    chat_turns: TurnsName = "usual",
    endpoint: Endpoint | None = None,
    weights: str = "",
) -> Policy:
    """The policy at `uri`: a checkpoint directory, or a served model's address.

    A served model is `http(s)://host/v1#model` (vLLM, SGLang, any OpenAI-compatible
    server). It is sent `api_key` and called only on a public address or at one of
    `private_hosts`; `endpoint` gives the kind of request, `served_prompt` and
    `chat_turns` the prompt. A local checkpoint, and a server that acts with the
    checkpoint `weights`, get the prompt that training reads: `choose_prompt`.
    """
    prompt = choose_prompt(served_prompt, observation)
    limits = (max_prompt_tokens, max_action_tokens)
    if uri.startswith(("http://", "https://")):
        from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions

        endpoint = endpoint or Endpoint()
        options = HttpPolicyOptions(
            temperature=temperature,
            max_prompt_tokens=max_prompt_tokens,
            max_action_tokens=max_action_tokens,
            prompt=served_prompt,
            vab_system=vab_system,
            chat_turns=chat_turns,
            observation=observation,
            action_dialect=action_dialect,
            api_key=api_key,
            private_hosts=private_hosts,
            concurrency=endpoint.concurrency,
            api=endpoint.api,
        )
        if not weights:
            return HttpPolicy(uri, options)
        from training.rl.served_policy import TokenPolicy

        encoder = _load_encoder(weights, *limits, prompt)
        options = dataclasses.replace(options, is_trained_here=True)
        if endpoint.takes_token_ids:
            return TokenPolicy(HttpPolicy(uri, options), encoder)
        options = dataclasses.replace(
            options,
            prompt=prompt.name,
            action_dialect="webrl",
            chat_turns="alternating" if encoder.takes_turns else "usual",
        )
        return HttpPolicy(uri, options)
    encoder = _load_encoder(uri, *limits, prompt)
    model = checkpoints.load_policy_model(Path(uri))
    return LocalPolicy(model, encoder, temperature=temperature)


def _list_ends(model: PreTrainedModel) -> tuple[int, ...]:
    """Return the tokens that end a text by the checkpoint's own generation settings.

    Some models end a turn with another token than their tokenizer's: GLM-4 with the
    mark of the next speaker. Servers of models stop at them as well.
    """
    settings = model.generation_config
    stated = None if settings is None else settings.eos_token_id
    if stated is None:
        return ()
    return (stated,) if isinstance(stated, int) else tuple(stated)


def _load_encoder(
    path: str, prompt_tokens: int, action_tokens: int, prompt: TrainedPrompt
) -> Encoder:
    return Encoder(
        checkpoints.load_tokenizer(Path(path)),
        max_prompt_tokens=prompt_tokens,
        max_action_tokens=action_tokens,
        prompt=prompt,
    )
