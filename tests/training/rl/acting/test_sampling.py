"""The oracle is token by token sampling with whole forward passes and no cache."""

from __future__ import annotations

import pytest
import torch
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    MistralConfig,
    MistralForCausalLM,
    Qwen3NextConfig,
)

from training.rl.acting import sampling
from training.rl.acting.sampling import Sampler
from training.rl.checkpoints import CheckpointError

END = 3
PROMPTS = ([5, 6, 7, 5, 6], [8] * 9, [4, 5], [6, 7, 8, 9, 6, 7, 8], [9, 4] * 6, [7])
SEEDS = tuple(range(len(PROMPTS)))


@torch.inference_mode()
def sample_alone(model, prompt, seed, *, temperature=1.0, max_tokens=12):
    generator = torch.Generator().manual_seed(seed)
    ids, scores = list(prompt), []
    while len(scores) < max_tokens and (not scores or ids[-1] != END):
        logs = model(input_ids=torch.tensor([ids])).logits[0, -1].log_softmax(-1)
        weights = (logs / temperature).softmax(-1) if temperature else None
        token = (
            int(logs.argmax())
            if weights is None
            else int(torch.multinomial(weights, 1, generator=generator))
        )
        ids.append(token)
        scores.append(float(logs[token]))
    return ids[len(prompt) :], scores


def sampler(model, temperature=1.0):
    return Sampler(model, ends={END}, max_tokens=12, temperature=temperature)


@pytest.fixture
def peaked(model):
    """Sharper than random weights are, so that guesses are right at times."""
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(4)
    return model


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_answers_are_those_of_token_by_token_sampling(peaked, temperature):
    drawing = sampler(peaked, temperature)
    for _ in range(3):  # with nothing remembered, then with guesses
        for answer, prompt, seed in zip(
            drawing.sample(PROMPTS, SEEDS), PROMPTS, SEEDS, strict=True
        ):
            ids, scores = sample_alone(peaked, prompt, seed, temperature=temperature)
            assert answer.ids == ids
            assert answer.scores == pytest.approx(scores, abs=1e-3)


SIZES = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "sliding_window": 8,
    "pad_token_id": 0,
    # Sharper than usual, so that answers differ and some guesses are wrong.
    "initializer_range": 0.3,
}
# Gemma 3 alternates windows and whole attention, the first Mistral has windows alone.
WINDOWS = {
    "gemma-3": lambda: Gemma3ForCausalLM(
        Gemma3TextConfig(layer_types=["sliding_attention", "full_attention"], **SIZES)
    ),
    "mistral-0.1": lambda: MistralForCausalLM(MistralConfig(**SIZES)),
}


@pytest.mark.parametrize("shape", WINDOWS)
def test_attention_of_a_window_sees_what_a_whole_forward_pass_sees(shape):
    torch.manual_seed(0)
    model = WINDOWS[shape]().eval()
    prompts = [(prompt * 20)[: 20 + 3 * row] for row, prompt in enumerate(PROMPTS)]
    drawing = sampler(model)
    for _ in range(3):
        for answer, prompt, seed in zip(
            drawing.sample(prompts, SEEDS), prompts, SEEDS, strict=True
        ):
            ids, scores = sample_alone(model, prompt, seed)
            assert answer.ids == ids
            assert answer.scores == pytest.approx(scores, abs=1e-3)


def test_a_model_whose_states_cannot_be_taken_back_is_refused(model):
    # Three of four layers of Qwen3-Next sum up what they have read.
    model.config = Qwen3NextConfig(num_hidden_layers=4)
    with pytest.raises(CheckpointError, match="served policy"):
        sampler(model)


def count_passes(model, monkeypatch, drawing):
    passes = []
    forward = model.forward
    monkeypatch.setattr(
        model, "forward", lambda **inputs: passes.append(1) or forward(**inputs)
    )
    drawing.sample(PROMPTS, SEEDS)
    return len(passes)


def test_guesses_save_forward_passes(peaked, monkeypatch):
    drawing = sampler(peaked)
    answers = drawing.sample(PROMPTS, SEEDS)
    longest = max(len(answer.ids) for answer in answers)
    groups = -(-len(PROMPTS) // sampling.ROWS_PER_GROUP)
    assert count_passes(peaked, monkeypatch, drawing) < groups + longest - 1


def test_wrong_guesses_change_nothing(peaked, monkeypatch):
    monkeypatch.setattr(sampling, "draft", lambda *_, **__: [4, 4, 4])
    for answer, prompt, seed in zip(
        sampler(peaked).sample(PROMPTS, SEEDS), PROMPTS, SEEDS, strict=True
    ):
        assert answer.ids == sample_alone(peaked, prompt, seed)[0]


def test_an_answer_is_no_longer_than_its_limit(model):
    assert all(len(a.ids) <= 12 for a in sampler(model).sample(PROMPTS, SEEDS))


def test_an_answer_ends_at_any_of_the_tokens_that_end_one(model):
    whole = Sampler(model, ends={END}, max_tokens=12, temperature=1.0)
    (answer,) = whole.sample([PROMPTS[0]], [0])
    other = next(token for token in answer.ids[1:] if token != END)
    drawing = Sampler(model, ends={END, other}, max_tokens=12, temperature=1.0)
    for _ in range(2):  # with nothing remembered, then with guesses
        (shorter,) = drawing.sample([PROMPTS[0]], [0])
        assert shorter.ids == answer.ids[: answer.ids.index(other) + 1]
