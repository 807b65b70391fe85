"""A server acts with the very tokens that training reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rollouts.policies.protocol import PolicyRequest
from rollouts.serving.types import Endpoint
from tests.served_model import ServedModel, serving
from tests.training.rl.tiny import PAGE
from training.rl import checkpoints
from training.rl.encoding import Encoder
from training.rl.local_policy import load_policy

REQUEST = PolicyRequest("Buy <|eot|> a mug", ("a",), ("no",), PAGE, 5)
LONG = PolicyRequest("word " * 400, (), (), PAGE, 5)


@pytest.fixture
def model() -> ServedModel:
    return ServedModel("tiny")


@pytest.fixture
def url(model: ServedModel) -> Iterator[str]:
    with serving(model) as address:
        yield address


@pytest.fixture
def weights(tmp_path: Path, tokenizer) -> Path:
    # Of the checkpoint the tokenizer alone is read.
    tokenizer.save_pretrained(tmp_path / "policy")
    return tmp_path / "policy"


def load(url: str, weights: Path, name: str = "tiny", **endpoint):
    return load_policy(
        f"{url}#{name}",
        temperature=1.0,
        max_prompt_tokens=200,
        max_action_tokens=16,
        private_hosts=("127.0.0.1",),
        endpoint=Endpoint(**endpoint),
        weights=str(weights),
    )


def encode(weights: Path) -> list[int]:
    tokenizer = checkpoints.load_tokenizer(weights)
    encoder = Encoder(tokenizer, max_prompt_tokens=200, max_action_tokens=16)
    return encoder.encode_prompt(
        REQUEST.instruction, REQUEST.history, REQUEST.errors, REQUEST.observation
    )


def test_the_prompt_is_the_one_that_training_reads(model, url, weights):
    policy = load(url, weights)
    policy.act([REQUEST])
    policy.close()
    [(path, body)] = model.asked
    assert path == "/v1/completions"
    assert body["prompt"] == encode(weights)
    assert body["return_token_ids"] is True


WHOLE = {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}


def test_a_server_draws_from_the_whole_distribution(model, url, weights, encoder):
    """Not as the checkpoint's generation_config.json says, which servers read."""
    policy = load(url, weights)
    policy.act([REQUEST])
    policy.close()
    [(_, body)] = model.asked
    assert {name: body[name] for name in WHOLE} == WHOLE
    assert body["stop_token_ids"] == [encoder.end_id]


def test_the_answer_is_what_its_tokens_say(model, url, weights, encoder):
    model.ids = encoder.encode_action('do(action="Click", element="1")')
    model.scores = [-0.5] * len(model.ids)
    policy = load(url, weights)
    [answer] = policy.act([REQUEST])
    policy.close()
    assert answer.output == 'do(action="Click", element="1")'
    assert answer.token_ids == tuple(model.ids)
    assert len(answer.token_log_probabilities) == len(model.ids)


def test_sglang_is_asked_by_its_own_call(model, url, weights, encoder):
    policy = load(url, weights, "base:lab-1-abc", api="sglang")
    [answer] = policy.act([REQUEST])
    policy.close()
    [(path, body)] = model.asked
    assert path == "/generate"
    assert body["input_ids"] == encode(weights)
    assert (body["return_logprob"], body["lora_path"]) == (True, "lab-1-abc")
    assert body["sampling_params"] == {
        "temperature": 1.0,
        "max_new_tokens": 16,
        "stop_token_ids": [encoder.end_id],
        **WHOLE,
    }
    assert answer.token_ids == (5, 6)
    assert answer.log_probability == -0.75


def test_tokens_of_another_vocabulary_are_encoded_again(model, url, weights):
    model.ids = [5, 999_999]
    policy = load(url, weights)
    [answer] = policy.act([REQUEST])
    policy.close()
    assert (answer.token_ids, answer.token_log_probabilities) == ((), ())
    assert answer.output == "as text"


def test_a_prompt_that_is_too_long_is_answered_with_nothing(model, url, weights):
    policy = load(url, weights)
    [answer] = policy.act([LONG])
    policy.close()
    assert (answer.output, answer.token_count, model.asked) == ("", 0, [])


def test_a_server_that_takes_no_ids_gets_the_plain_conversation(model, url, weights):
    message = {"choices": [{"message": {"content": "exit()"}}]}
    model.answers["/v1/chat/completions"] = (200, message)
    policy = load(url, weights, takes_token_ids=False)
    [answer] = policy.act([REQUEST])
    policy.close()
    [(_, body)] = model.asked
    assert (answer.output, answer.token_ids) == ("exit()", ())
    assert body["messages"][0]["content"].startswith("Task Instruction: Buy")
    assert body["messages"][-1] == {"role": "user", "content": PAGE}
