from __future__ import annotations

import asyncio
import concurrent.futures
import threading

import pytest

from rollouts.browser.errors import HarnessBroken
from rollouts.collection.asking import Streamer, open_asker
from rollouts.collection.batching import Batcher
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest


class Server:
    """Answers each request by itself; some wait until they are let go."""

    concurrency = 4

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def answer(self, request):
        if request.observation == "refused":
            raise ValueError("413: too long")
        if request.observation == "slow":
            self.may_answer.wait(5)
        return PolicyAnswer(request.observation)

    def act(self, requests):
        return [self.answer(request) for request in requests]

    def close(self):
        pass


class Rounds:
    """A policy that answers in rounds only."""

    def act(self, requests):
        return [PolicyAnswer("x") for _ in requests]

    def close(self):
        pass


def request(text):
    return PolicyRequest("x", (), (), text, 0)


async def test_one_slow_answer_holds_up_no_other():
    server = Server()
    asker = Streamer(server)
    slow = asyncio.create_task(asker.ask(1, request("slow")))
    fast = await asker.ask(2, request("fast"))
    assert (fast.output, slow.done()) == ("fast", False)
    server.may_answer.set()
    assert (await slow).output == "slow"
    await asker.close()


async def test_one_refused_request_fails_one_episode():
    asker = Streamer(Server())
    asked = [asker.ask(n, request(text)) for n, text in enumerate(["a", "refused"])]
    answered, refused = await asyncio.gather(*asked, return_exceptions=True)
    assert answered.output == "a"
    assert isinstance(refused, HarnessBroken)
    assert "413: too long" in str(refused)
    await asker.close()


async def test_no_more_requests_are_under_way_than_the_server_takes():
    server = Server()
    asker = Streamer(server)
    slow = [asyncio.create_task(asker.ask(n, request("slow"))) for n in range(4)]
    late = asyncio.create_task(asker.ask(9, request("late")))
    done, _ = await asyncio.wait([*slow, late], timeout=0.2)
    assert done == set()
    server.may_answer.set()
    assert [(await one).output for one in slow] == ["slow"] * 4
    assert (await late).output == "late"
    await asker.close()


@pytest.mark.parametrize(
    ("policy", "kind"), [(Server(), Streamer), (Rounds(), Batcher)]
)
async def test_a_policy_is_asked_as_it_answers(policy, kind):
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        asker = open_asker(policy, executor)
        assert type(asker) is kind
        assert (await asker.ask(1, request("x"))).output == "x"
        await asker.close()
