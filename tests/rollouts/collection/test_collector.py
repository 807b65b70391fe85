"""The collector on a made-up world: records, order, ends and failures."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import threading
import time

import pytest

from rollouts.browser.errors import HarnessBroken, SiteBroken
from rollouts.browser.types import (
    Action,
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRequest,
    Observation,
    StepRecord,
    TaskSpec,
)
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.collection.episode_records import derive_seed, tidy_answer
from rollouts.policies.protocol import PolicyAnswer


class CountingPolicy:
    """Answers with how often the episode has asked."""

    def __init__(self):
        self.requests = []
        self.batches = []
        self.error = None

    def act(self, requests):
        if self.error:
            raise self.error
        self.requests += requests
        self.batches.append(len(requests))
        return [PolicyAnswer(str(len(r.history)), -1.0, 2) for r in requests]

    def close(self):
        pass


class FakeEnvironment:
    """An episode of as many steps as the instruction says."""

    def __init__(self, world):
        self.world = world
        self.step_count = 0

    async def reset(self, task, *, limits, recording):
        self.world.open += 1
        self.world.most_open = max(self.world.most_open, self.world.open)
        self.task, self.limits = task, limits
        if task.instruction == "site breaks":
            raise SiteBroken("503")
        return Observation("page 0", (), "http://shop/", "Shop"), {}

    async def step(self, output):
        await asyncio.sleep(0)
        self.step_count += 1
        if self.task.instruction == "browser breaks" and self.step_count == 2:
            raise HarnessBroken("the browser ended")
        if self.task.instruction == "our code breaks":
            raise ZeroDivisionError
        if self.task.instruction == "hangs":
            self.world.hangs = True
            await asyncio.Event().wait()
        is_last = str(self.step_count) == self.task.instruction
        info = {
            "action": Action("Click", 1),
            "error": "no" if self.step_count == 1 else "",
            "target_box": (1.0, 2.0, 3.0, 4.0),
            "timing": {"act": 1.0},
            "ended_by": "exit" if is_last else None,
            "answer": "done" if is_last else "",
            "outcome": True if is_last else None,
            "checks": (),
            "trace": "",
            "refused": (),
        }
        page = Observation(f"page {self.step_count}", (), "http://shop/", "Shop")
        return page, 0.0, is_last, False, info

    def extend(self, seconds):
        self.world.more_s += seconds

    async def close(self):
        self.world.open -= 1
        if self.task.instruction == "2":
            raise RuntimeError("did not close")


class FakeWorld:
    def __init__(self):
        self.open = self.most_open = 0
        self.is_closed = self.hangs = False
        self.more_s = 0.0

    def environment(self):
        return FakeEnvironment(self)

    async def close(self):
        self.is_closed = True


@pytest.fixture
def world():
    return FakeWorld()


@pytest.fixture
def policy():
    return CountingPolicy()


@pytest.fixture
def collector(world, policy):
    options = CollectorOptions(contexts=3)
    with Collector(policy, options, open_world=lambda _: world) as collector:
        yield collector


def request(number, instruction):
    task = TaskSpec(number, instruction, "__SHOP__/", ("shop",), {})
    return EpisodeRequest(number, number + 100, task, 7, 30, 60.0)


def gather(collector, count):
    """Poll until so many episodes have ended; returns the records by episode."""
    records = collections.defaultdict(list)
    deadline = time.monotonic() + 5
    while count and time.monotonic() < deadline:
        for record in collector.poll(0.2):
            records[record.trajectory_id].append(record)
            count -= not isinstance(record, StepRecord)
    assert count == 0
    return records


def test_records_come_in_order_and_end_once(collector):
    collector.submit([request(number, str(number + 1)) for number in range(12)])
    records = gather(collector, 12)
    for number in range(12):
        *steps, end = records[number]
        assert [step.index for step in steps] == list(range(number + 1))
        assert [step.output for step in steps] == [str(i) for i in range(number + 1)]
        assert isinstance(end, EpisodeEnd)
        assert end.final.text == f"page {number + 1}"
        assert {record.attempt for record in records[number]} == {number + 100}


def test_a_step_holds_the_page_that_the_policy_read(collector):
    collector.submit([request(0, "3")])
    first, second, *_ = gather(collector, 1)[0]
    assert (first.observation.text, second.observation.text) == ("page 0", "page 1")
    assert (first.error, second.error) == ("no", "")
    assert (first.log_probability, first.token_count) == (-1.0, 2)
    assert (first.action, first.target_box) == (Action("Click", 1), (1, 2, 3, 4))
    assert set(first.timing) == {"act", "policy"}


def test_the_policy_reads_outputs_errors_and_a_seed_of_its_own(collector, policy):
    collector.submit([request(0, "3")])
    gather(collector, 1)
    last = policy.requests[-1]
    assert (last.history, last.errors) == (("0", "1"), ("no", ""))
    assert last.observation == "page 2"
    assert [r.seed for r in policy.requests] == [derive_seed(7, i) for i in range(3)]


@pytest.mark.parametrize(
    ("output", "tidy"), [("a\x00b", "ab"), ("a\ud800b", "a?b"), ("né", "né")]
)
def test_an_answer_that_no_database_takes_is_tidied(output, tidy):
    answer = tidy_answer(PolicyAnswer(output, -1.0, 2))
    assert answer == PolicyAnswer(tidy, -1.0, 2)


def test_seeds_differ_by_episode_and_step():
    seeds = {derive_seed(seed, step) for seed in range(20) for step in range(20)}
    assert len(seeds) == 400
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_no_more_episodes_are_open_than_contexts(collector, world):
    # Long ones: a short one may be over before the third has opened.
    collector.submit([request(number, "20") for number in range(10)])
    gather(collector, 10)
    assert world.most_open == 3


def test_episodes_are_answered_together(collector, policy):
    collector.submit([request(number, "20") for number in range(3)])
    gather(collector, 3)
    assert max(policy.batches) == 3


def test_free_slots_count_what_is_submitted_and_not_ended(collector):
    assert collector.free_slots == 3
    collector.submit([request(number, "hangs") for number in range(2)])
    assert collector.free_slots == 1
    collector.submit([request(9, "1")])
    gather(collector, 1)
    assert collector.free_slots == 1


@pytest.mark.parametrize(
    ("instruction", "failure_class", "reason", "steps"),
    [
        ("site breaks", "site", "503", 0),
        ("browser breaks", "harness", "the browser ended", 1),
        ("our code breaks", "harness", "ZeroDivisionError", 0),
    ],
)
def test_what_breaks_an_episode_is_classified(
    collector, instruction, failure_class, reason, steps
):
    collector.submit([request(0, instruction), request(1, "1")])
    records = gather(collector, 2)
    *before, failure = records[0]
    assert isinstance(failure, EpisodeFailure)
    assert (failure.failure_class, failure.attempt) == (failure_class, 100)
    assert reason in failure.reason
    assert len(before) == steps
    assert isinstance(records[1][-1], EpisodeEnd)


def test_a_policy_that_fails_is_a_harness_error(collector, policy):
    policy.error = ValueError("no weights")
    collector.submit([request(0, "3")])
    (failure,) = gather(collector, 1)[0]
    assert failure.failure_class == "harness"
    assert "no weights" in failure.reason


def test_progress_is_noted_while_an_episode_goes_on(collector):
    before = collector.progress_at
    collector.submit([request(0, "3")])
    gather(collector, 1)
    assert collector.progress_at > before


class SlowServer(CountingPolicy):
    """A served model that answers when it is told to."""

    concurrency = 2

    def __init__(self):
        super().__init__()
        self.asked, self.told = threading.Event(), threading.Event()

    def answer(self, request):
        self.asked.set()
        self.told.wait(10)
        return PolicyAnswer("exit()", -1.0, 2)


def test_waiting_for_a_server_is_not_taken_for_a_browser_that_hangs(world):
    policy = SlowServer()
    options = CollectorOptions(contexts=3)
    with Collector(policy, options, open_world=lambda _: world) as collector:
        collector.submit([request(0, "hangs")])
        assert policy.asked.wait(10)
        waiting = [collector.progress_at for _ in range(2)]
        policy.told.set()
        while not world.hangs:
            collector.poll(0.01)
        hanging = [collector.progress_at for _ in range(2)]
    assert waiting[0] < waiting[1]
    assert hanging[0] == hanging[1]


def test_a_dropped_attempt_ends_without_a_record_and_frees_its_slot(
    world, policy, collector
):
    collector.submit([request(0, "hangs"), request(1, "3")])
    records = gather(collector, 1)
    collector.drop((0, 100))
    while world.open:
        records[0] += collector.poll(0.01)

    assert all(isinstance(record, StepRecord) for record in records[0])
    assert collector.free_slots == 3
    collector.drop((0, 100))
    collector.submit([request(2, "1")])
    assert gather(collector, 1)[2]


class SlowlyClosing(FakeEnvironment):
    async def close(self):
        self.world.closing.set()
        await asyncio.Event().wait()


def test_an_attempt_that_is_dropped_while_it_closes_frees_its_slot(world, policy):
    world.closing = threading.Event()
    world.environment = lambda: SlowlyClosing(world)
    options = CollectorOptions(contexts=1)
    with Collector(policy, options, open_world=lambda _: world) as collector:
        collector.submit([request(0, "1")])
        assert world.closing.wait(5)
        collector.drop((0, 100))
        deadline = time.monotonic() + 5
        while not collector.free_slots and time.monotonic() < deadline:
            collector.poll(0.01)
        assert collector.free_slots == 1


def test_closing_drops_what_runs_and_what_waits(world, policy):
    collector = Collector(
        policy, CollectorOptions(contexts=1), open_world=lambda _: world
    )
    collector.start()
    collector.submit([request(0, "hangs"), request(1, "1")])
    while not policy.requests:
        collector.poll(0.01)
    collector.close()
    collector.close()
    assert (world.is_closed, world.open) == (True, 0)
    with pytest.raises(RuntimeError, match="closed"):
        collector.submit([request(2, "1")])


def test_a_collector_that_was_never_started_can_be_closed(world, policy):
    Collector(policy, CollectorOptions(), open_world=lambda _: world).close()


def test_a_world_that_cannot_be_opened_is_told_to_the_caller(policy):
    def broken(options):
        raise OSError("no room")

    collector = Collector(policy, CollectorOptions(), open_world=broken)
    collector.start()
    with pytest.raises(RuntimeError, match="thread has died"):
        for _ in range(50):
            collector.poll(0.1)
    collector.close()


def test_the_waits_for_a_server_extend_the_episode(world):
    class WaitingPolicy(CountingPolicy):
        def act(self, requests):
            return [
                dataclasses.replace(a, waited_s=20.0) for a in super().act(requests)
            ]

    options = CollectorOptions(contexts=1)
    with Collector(WaitingPolicy(), options, open_world=lambda _: world) as collector:
        collector.submit([request(1, "3")])
        gather(collector, 1)
    assert world.more_s == 60.0
