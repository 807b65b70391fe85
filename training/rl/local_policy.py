"""A checkpoint that acts: batched sampling with the log-probability of each answer.

An own loop over the model's key-value cache: one forward pass for all waiting
episodes, then one per new token. Each answer is drawn from a generator seeded by its
request, so that it does not depend on which episodes happened to wait together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.observation.page_script import Form
from rollouts.policies.protocol import Policy, PolicyAnswer, PolicyRequest
from rollouts.policies.served_prompts import PromptName
from training.rl import checkpoints
from training.rl.encoding import Encoder, PromptTooLong


class LocalPolicy:
    """Satisfies `rollouts.policies.protocol.Policy` with a transformers model."""

    def __init__(self, model: Any, encoder: Encoder, *, temperature: float) -> None:
        """Bind a model and its encoder; temperature 0 is greedy."""
        self._model = model.eval()
        self._encoder = encoder
        self._temperature = temperature
        self._device = next(model.parameters()).device

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
        answers = [PolicyAnswer("", 0.0, 0)] * len(requests)
        if prompts:
            seeds = [requests[position].seed for position in readable]
            drawn = self._generate(prompts, seeds)
            for position, answer in zip(readable, drawn, strict=True):
                answers[position] = answer
        return answers

    def close(self) -> None:
        """Nothing to free beyond the object itself."""

    def _encode(self, request: PolicyRequest) -> list[int]:
        return self._encoder.encode_prompt(
            request.instruction, request.history, request.errors, request.observation
        )

    @torch.inference_mode()
    def _generate(
        self, prompts: list[list[int]], seeds: list[int]
    ) -> list[PolicyAnswer]:
        tokenizer = self._encoder.tokenizer
        ids, mask = _left_pad(prompts, tokenizer.pad_token_id, self._device)  # (B, T)
        # On the CPU, whatever the device: the same seed draws the same answer anywhere.
        generators = [torch.Generator().manual_seed(seed % 2**63) for seed in seeds]
        rows = len(prompts)
        # True once a row has written its end of turn, (B,).
        finished = torch.zeros(rows, dtype=torch.bool, device=self._device)
        outputs: list[torch.Tensor] = []  # each (B,)
        scores: list[torch.Tensor] = []  # each (B,)
        cache: Any = None
        # Positions count tokens, not padding, (B, T): training pads on the right and
        # must see the same ones.
        positions = (mask.cumsum(1) - 1).clamp_min(0)
        for _ in range(self._encoder.max_action_tokens):
            result = self._model(
                # (B, T) at first, then (B, 1): the cache holds what came before.
                input_ids=ids,
                attention_mask=mask,  # (B, T + n)
                position_ids=positions,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = result.past_key_values
            # float32, as in training: else the recorded log-probabilities differ.
            logs = result.logits[:, -1].float().log_softmax(-1)  # (B, V)
            chosen = self._draw(logs, generators)  # (B,)
            chosen = chosen.masked_fill(finished, tokenizer.pad_token_id)
            # log pi at temperature 1, however it was drawn: the losses compare these.
            scores.append(logs.gather(1, chosen[:, None])[:, 0])
            outputs.append(chosen)
            finished |= chosen == tokenizer.eos_token_id
            if bool(finished.all()):
                break
            ids = chosen[:, None]  # (B, 1)
            mask = torch.cat([mask, mask.new_ones(rows, 1)], dim=1)  # (B, T + n)
            positions = positions[:, -1:] + 1  # (B, 1)
        # Both (B, A); what follows a row's end of turn is padding.
        return self._answers(
            torch.stack(outputs, dim=1).tolist(), torch.stack(scores, dim=1).tolist()
        )

    def _draw(
        self, logs: torch.Tensor, generators: list[torch.Generator]
    ) -> torch.Tensor:
        if self._temperature == 0:
            return logs.argmax(-1)  # (B,)
        weights = (logs / self._temperature).softmax(-1).cpu()  # (B, V)
        picks = [
            torch.multinomial(row, 1, generator=generator)  # (1,)
            for row, generator in zip(weights, generators, strict=True)
        ]
        return torch.cat(picks).to(logs.device)  # (B,)

    def _answers(
        self, rows: list[list[int]], scores: list[list[float]]
    ) -> list[PolicyAnswer]:
        """Each row's tokens up to the end of its turn, as text and as they are."""
        eos = self._encoder.tokenizer.eos_token_id
        answers = []
        for row, score in zip(rows, scores, strict=True):
            count = row.index(eos) + 1 if eos in row else len(row)  # with its end
            answers.append(
                PolicyAnswer(
                    output=self._encoder.decode_action(row[:count]),
                    log_probability=sum(score[:count]),
                    token_count=count,
                    token_ids=tuple(row[:count]),
                    token_log_probabilities=tuple(round(s, 6) for s in score[:count]),
                )
            )
        return answers


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
) -> Policy:
    """The policy at `uri`: a checkpoint directory, or a served model's address.

    A served model is `http(s)://host/v1#model` (vLLM, SGLang, any OpenAI-compatible
    server); it is sent `api_key`, called only on a public address or at one of
    `private_hosts`, and told what `served_prompt` says. A checkpoint knows what it
    has learnt.
    """
    if uri.startswith(("http://", "https://")):
        from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions

        options = HttpPolicyOptions(
            temperature=temperature,
            max_prompt_tokens=max_prompt_tokens,
            max_action_tokens=max_action_tokens,
            prompt=served_prompt,
            vab_system=vab_system,
            observation=observation,
            action_dialect=action_dialect,
            api_key=api_key,
            private_hosts=private_hosts,
        )
        return HttpPolicy(uri, options)
    directory = Path(uri)
    encoder = Encoder(
        checkpoints.load_tokenizer(directory),
        max_prompt_tokens=max_prompt_tokens,
        max_action_tokens=max_action_tokens,
    )
    model = checkpoints.load_policy_model(directory)
    return LocalPolicy(model, encoder, temperature=temperature)


def _left_pad(
    prompts: list[list[int]], pad_id: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask, (B, T), padded on the left so that all rows end together."""
    longest = max(len(prompt) for prompt in prompts)
    ids = torch.full((len(prompts), longest), pad_id, dtype=torch.long)  # (B, T)
    mask = torch.zeros((len(prompts), longest), dtype=torch.long)  # (B, T)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    return ids.to(device), mask.to(device)
