"""Answers of a model's server that nobody can read or store."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from rollouts.policies.http_answers import read_answer
from rollouts.policies.http_policy import HttpPolicy
from rollouts.policies.protocol import PolicyRequest, PolicyUnavailable
from rollouts.policies.sglang_calls import read_generated

NESTED = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("score", ["NaN", "-Infinity", "1e999"])
def test_log_probabilities_that_are_no_numbers_are_left_out(score: str) -> None:
    scores = f'{{"token_logprobs": [-0.5, {score}]}}'
    told = f'{{"text": "x", "logprobs": {scores}, "token_ids": [7, 2]}}'
    got = read_answer(httpx.Response(200, text=f'{{"choices": [{told}]}}'))
    assert got is not None
    assert (got.output, got.log_probability) == ("x", None)
    assert (got.token_ids, got.token_log_probabilities) == ((), ())


def test_generated_tokens_need_log_probabilities_that_are_numbers() -> None:
    meta = '{"output_token_logprobs": [[-0.5, 7, null], [NaN, 2, null]]}'
    answer = httpx.Response(200, text=f'{{"text": "x", "meta_info": {meta}}}')
    assert read_generated(answer) is None


@pytest.mark.parametrize("read", [read_answer, read_generated])
def test_json_that_is_nested_too_deeply_is_no_answer(read) -> None:
    assert read(httpx.Response(200, text=NESTED)) is None


def test_an_answer_that_cannot_be_unpacked_is_asked_for_again() -> None:
    packed = httpx.Response(
        200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"half")
    )
    whole = httpx.Response(200, json={"choices": [{"message": {"content": "ok"}}]})
    script = [packed, whole]
    policy = HttpPolicy(
        "http://model.example/v1#tiny",
        pause=lambda seconds: None,
        transport=httpx.MockTransport(lambda request: script.pop(0)),
    )
    assert policy.answer(PolicyRequest("Buy", (), (), "<h1>", 5)).output == "ok"


class Dripping(httpx.SyncByteStream):
    """Sends a blank each second: nothing is silent, and nothing ends."""

    now = 0.0

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(10_000):
            Dripping.now += 1
            yield b" "


def test_a_server_that_sends_only_blanks_is_given_up_like_a_silent_one() -> None:
    policy = HttpPolicy(
        "http://model.example/v1#tiny",
        pause=lambda seconds: None,
        clock=lambda: Dripping.now,
        transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Dripping())),
    )
    with pytest.raises(PolicyUnavailable, match="in time"):
        policy.answer(PolicyRequest("Buy", (), (), "<h1>", 5))
