"""The last layer's feed-forward part runs only where its output is read."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    Glm4Config,
    Glm4ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    GptOssConfig,
    GptOssForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
)

from training.rl.batching import collate
from training.rl.critic import Critic
from training.rl.encoding import Example
from training.rl.policy import token_log_probabilities
from training.rl.scale.last_layer import find_last_layer, reading_only

SIZES = {
    "vocab_size": 50,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 8,
    "pad_token_id": 0,
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8}
MODELS = {
    "gemma-2": lambda: Gemma2ForCausalLM(Gemma2Config(**SIZES)),
    "glm-4": lambda: Glm4ForCausalLM(Glm4Config(**SIZES)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES)),
    "mistral": lambda: MistralForCausalLM(MistralConfig(**SIZES)),
    "qwen-2": lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES)),
    "qwen-3": lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES)),
    "qwen-3-moe": lambda: Qwen3MoeForCausalLM(Qwen3MoeConfig(**EXPERTS, **SIZES)),
    "gpt-oss": lambda: GptOssForCausalLM(
        GptOssConfig(num_local_experts=4, num_experts_per_tok=2, **SIZES)
    ),
    "gpt-2": lambda: GPT2LMHeadModel(
        GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2)
    ),
}
EXAMPLES = [
    Example(tuple(range(1, 10)), 6),
    Example(tuple(range(20, 34)), 12),
    Example((7, 8), 1),
]


def build(name: str):
    torch.manual_seed(0)
    return MODELS[name]().eval()


def read_all(model, batch) -> torch.Tensor:
    """Log-probabilities of the action tokens from the logits of every token."""
    logs = model(input_ids=batch.ids, use_cache=False).logits.log_softmax(-1)
    taken = logs[:, :-1].gather(2, batch.ids[:, 1:, None])[..., 0]  # (B, T - 1)
    return taken[batch.action_mask]


def gradients(model) -> dict[str, torch.Tensor]:
    return {n: p.grad for n, p in model.named_parameters() if p.grad is not None}


def watch_feed_forward(model) -> list[torch.Size]:
    seen: list[torch.Size] = []
    part: Any = getattr(find_last_layer(model), "mlp")  # noqa: B009
    # A method's own call runs after all hooks before it.
    forward = part.forward

    def note(hidden, *rest):
        seen.append(hidden.shape)
        return forward(hidden, *rest)

    part.forward = note
    return seen


@pytest.mark.parametrize("name", MODELS)
def test_what_is_read_and_its_gradients_are_those_of_the_whole_pass(name):
    batch = collate(EXAMPLES, range(len(EXAMPLES)), pad_id=0)
    whole, ours = build(name), build(name)
    expected = read_all(whole, batch)
    found, _ = token_log_probabilities(ours, batch)
    torch.testing.assert_close(found, expected, rtol=0, atol=2e-6)
    (expected**2).sum().backward()
    (found**2).sum().backward()
    theirs = gradients(whole)
    assert theirs
    for parameter, gradient in gradients(ours).items():
        torch.testing.assert_close(gradient, theirs[parameter], rtol=1e-4, atol=1e-5)


def test_only_the_action_passes_the_last_feed_forward_part():
    model = build("llama")
    seen = watch_feed_forward(model)
    token_log_probabilities(model, collate(EXAMPLES, range(3), pad_id=0))
    action_tokens = 3 + 2 + 1
    assert seen == [(1, action_tokens, 16)]


# The adapters' library asks a model in words that are going out of use.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_adapter_around_the_model_is_looked_through():
    model = get_peft_model(build("llama"), LoraConfig(target_modules="all-linear"))
    seen = watch_feed_forward(model)
    token_log_probabilities(model, collate(EXAMPLES, range(3), pad_id=0))
    assert seen == [(1, 6, 16)]


def test_a_value_is_that_of_the_whole_pass():
    critic = Critic(build("llama").get_decoder(), None)
    seen = watch_feed_forward(critic.backbone)
    batch = collate(EXAMPLES, range(3), pad_id=0)
    found = critic(batch)
    hidden = critic.backbone(input_ids=batch.ids).last_hidden_state
    last = hidden[range(3), batch.lengths - 1]
    expected = torch.cat([head(last) for head in critic.heads], dim=1)
    torch.testing.assert_close(found, expected, rtol=0, atol=2e-6)
    assert seen[0] == (1, 3, 16)


def test_activations_that_are_computed_again_are_computed_whole():
    model = build("llama").train()
    model.activation_checkpointing_enable({"use_reentrant": False})
    seen = watch_feed_forward(model)
    batch = collate(EXAMPLES, range(3), pad_id=0)
    found, _ = token_log_probabilities(model, batch)
    found.sum().backward()
    assert seen == [(3, 14, 16), (3, 14, 16)]


def test_nothing_stays_on_the_model_afterwards():
    model = build("llama")
    batch = collate(EXAMPLES, range(3), pad_id=0)
    before = model(input_ids=batch.ids).logits
    with pytest.raises(RuntimeError), reading_only(model, (torch.zeros(1).long(),) * 2):
        raise RuntimeError
    token_log_probabilities(model, batch)
    assert torch.equal(model(input_ids=batch.ids).logits, before)
