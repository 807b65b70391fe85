from __future__ import annotations

import pytest
import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
)

from rollouts.policies.protocol import PolicyRequest
from tests.training.rl.conftest import CLICK, PAGE
from training.rl.batching import collate
from training.rl.encoding import Encoder
from training.rl.local_policy import LocalPolicy
from training.rl.policy import action_log_probabilities, switch_off_dropout


def request(instruction: str, seed: int = 1) -> PolicyRequest:
    return PolicyRequest(instruction, (), (), PAGE, seed)


def test_padding_does_not_change_a_log_probability(model, encoder):
    short = encoder.encode_step("Find", (), (), PAGE, CLICK)
    long = encoder.encode_step("Find", (CLICK,), ("",), PAGE * 2, CLICK)
    alone, _ = action_log_probabilities(model, collate([short], [0], pad_id=0))
    both, _ = action_log_probabilities(model, collate([short, long], [0, 1], pad_id=0))
    assert both[0].sum().item() == pytest.approx(alone[0].sum().item(), abs=1e-3)


def test_the_action_head_agrees_with_the_whole_softmax(model, encoder):
    example = encoder.encode_step("Find", (), (), PAGE, CLICK)
    batch = collate([example], [0], pad_id=0)
    found, mask = action_log_probabilities(model, batch)
    logs = model(input_ids=batch.ids).logits.log_softmax(-1)[0]
    start = example.prompt_length
    expected = sum(
        logs[position - 1, example.ids[position]].item()
        for position in range(start, len(example.ids))
    )
    assert found[0].sum().item() == pytest.approx(expected, abs=1e-3)
    assert mask[0].sum().item() == len(example.ids) - start


def test_an_answer_does_not_depend_on_its_neighbours(model, encoder):
    policy = LocalPolicy(model, encoder, temperature=1.0)
    alone = policy.act([request("Find the lamp", 5)])[0]
    together = policy.act([request("Go", 2), request("Find the lamp", 5)])[1]
    assert alone.output == together.output
    assert alone.log_probability == pytest.approx(together.log_probability, abs=1e-2)


def test_greedy_answers_ignore_the_seed(model, encoder):
    policy = LocalPolicy(model, encoder, temperature=0.0)
    (one,), (two,) = policy.act([request("Find", 1)]), policy.act([request("Find", 2)])
    assert one.token_ids == two.token_ids


def test_a_prompt_that_cannot_fit_is_a_wasted_step(model, tokenizer):
    small = Encoder(tokenizer, max_prompt_tokens=40, max_action_tokens=4)
    policy = LocalPolicy(model, small, temperature=0.0)
    answers = policy.act([request("Find the lamp " * 40), request("Go")])
    assert answers[0].output == ""
    assert answers[1].token_count > 0


def test_recorded_log_probabilities_are_those_of_the_trainer(model, encoder):
    policy = LocalPolicy(model, encoder, temperature=1.0)
    answer, _ = policy.act([request("Find", 3), request("Find the lamp", 4)])
    example = encoder.encode_step("Find", (), (), PAGE, answer.output, answer.token_ids)
    found, _ = action_log_probabilities(model, collate([example], [0], pad_id=0))
    assert example.ids[example.prompt_length :] == answer.token_ids
    recorded = answer.token_log_probabilities
    assert found[0].tolist() == pytest.approx(recorded, abs=1e-4)
    assert answer.log_probability == pytest.approx(sum(recorded), abs=1e-4)
    assert answer.token_count == len(answer.token_ids)


def test_an_answer_ends_at_the_tokens_that_its_checkpoint_names(model, encoder):
    (whole,) = LocalPolicy(model, encoder, temperature=0.0).act([request("Find")])
    third = whole.token_ids[2]
    model.generation_config.eos_token_id = [encoder.end_id, third]
    (answer,) = LocalPolicy(model, encoder, temperature=0.0).act([request("Find")])
    assert answer.token_ids == whole.token_ids[: whole.token_ids.index(third) + 1]


def build_with_a_number() -> PreTrainedModel:
    """A model that passes its probability of dropout on to a function."""
    config = LlamaConfig(
        vocab_size=20,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        attention_dropout=0.5,
    )
    return LlamaForCausalLM(config)


def build_with_layers() -> PreTrainedModel:
    """A model with layers of dropout."""
    return GPT2LMHeadModel(GPT2Config(vocab_size=20, n_embd=16, n_layer=2, n_head=2))


@pytest.mark.parametrize("build", [build_with_a_number, build_with_layers])
def test_a_policy_without_dropout_computes_in_training_what_it_scores(build):
    model = build()
    ids = torch.arange(1, 9)[None]
    expected = model.eval()(input_ids=ids).logits
    assert not model.train()(input_ids=ids).logits.equal(expected)
    switch_off_dropout(model)
    torch.testing.assert_close(model(input_ids=ids).logits, expected)
