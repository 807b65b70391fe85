from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.errors import EndpointDown, HarnessBroken
from rollouts.collection.batching import Batcher
from rollouts.policies.protocol import (
    PolicyAnswer,
    PolicyFailed,
    PolicyRequest,
    PolicyUnavailable,
)


class EchoPolicy:
    """Repeats the observation; may be held until told to go on."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.error: Exception | None = None
        self.missing = 0

    def act(self, requests):
        self.may_answer.wait(5)
        self.batches.append(len(requests))
        if self.error:
            raise self.error
        answers = [PolicyAnswer(request.observation) for request in requests]
        return answers[self.missing :]

    def close(self):
        pass


@pytest.fixture
def policy():
    return EchoPolicy()


@pytest_asyncio.fixture
async def batcher(policy) -> AsyncIterator[Batcher]:
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        batcher = Batcher(policy, executor)
        yield batcher
        policy.may_answer.set()
        await batcher.close()


def request(text):
    return PolicyRequest("x", (), (), text, 0)


async def test_whoever_waits_is_answered_in_one_call(batcher, policy):
    questions = [batcher.ask(number, request(str(number))) for number in range(4)]
    answers = await asyncio.gather(*questions)
    assert [answer.output for answer in answers] == ["0", "1", "2", "3"]
    assert policy.batches == [4]


async def test_who_comes_during_a_call_shares_the_next_one(batcher, policy):
    policy.may_answer.clear()
    first = asyncio.create_task(batcher.ask(0, request("a")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    others = [asyncio.create_task(batcher.ask(n, request("b"))) for n in (1, 2)]
    await asyncio.sleep(0)
    policy.may_answer.set()
    await asyncio.gather(first, *others)
    assert policy.batches == [1, 2]


async def test_an_episode_that_left_is_not_waited_for(batcher, policy):
    await asyncio.gather(batcher.ask(0, request("a")), batcher.ask(1, request("a")))
    batcher.leave(1)
    async with asyncio.timeout(1):
        await batcher.ask(0, request("b"))
    assert policy.batches == [2, 1]


async def test_a_policy_that_fails_breaks_the_waiting_episodes_only(batcher, policy):
    policy.error = ValueError("no weights")
    results = await asyncio.gather(
        *(batcher.ask(n, request("a")) for n in (0, 1)), return_exceptions=True
    )
    assert all(isinstance(result, HarnessBroken) for result in results)
    assert "no weights" in str(results[0])
    policy.error = None
    assert (await batcher.ask(0, request("b"))).output == "b"


async def test_what_a_policy_says_of_its_failure_is_told_as_it_is(batcher, policy):
    policy.error = PolicyFailed("The model at http://m/v1 gave no answer.")
    with pytest.raises(HarnessBroken) as told:
        await batcher.ask(0, request("a"))

    assert str(told.value) == "The model at http://m/v1 gave no answer."


async def test_an_endpoint_that_does_not_answer_now_is_named_as_such(batcher, policy):
    silent = "The model at http://m/v1 gave no answer."
    policy.error = PolicyUnavailable(silent, wait_s=300)
    with pytest.raises(EndpointDown) as told:
        await batcher.ask(0, request("a"))

    assert told.value.failure_class == "endpoint"
    assert told.value.wait_s == 300
    assert str(told.value) == silent


async def test_a_policy_must_answer_everybody(batcher, policy):
    policy.missing = 1
    with pytest.raises(HarnessBroken, match="0 answers to 1 requests"):
        await batcher.ask(0, request("a"))


async def test_who_gave_up_waiting_is_left_out(batcher, policy):
    policy.may_answer.clear()
    held = asyncio.create_task(batcher.ask(0, request("a")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gone = asyncio.create_task(batcher.ask(1, request("b")))
    await asyncio.sleep(0)
    gone.cancel()
    policy.may_answer.set()
    await held
    assert (await batcher.ask(0, request("c"))).output == "c"
    assert policy.batches == [1, 1]


async def test_closing_cancels_who_still_waits(policy):
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        batcher = Batcher(policy, executor)
        policy.may_answer.clear()
        waiting = [asyncio.create_task(batcher.ask(n, request("a"))) for n in (0, 1)]
        await asyncio.sleep(0.01)
        late = asyncio.create_task(batcher.ask(2, request("a")))
        await asyncio.sleep(0)
        await batcher.close()
        policy.may_answer.set()
        results = await asyncio.gather(*waiting, late, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
