from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import httpx
import pytest

from curriculum.errors import GeneratorError
from curriculum.evolution.openai_generator import (
    GeneratorFailed,
    GeneratorOptions,
    GeneratorUnavailable,
    OpenAIGenerator,
    parse_judgement,
    parse_proposals,
)
from curriculum.evolution.types import ProposedTask, SeedTask
from curriculum.services.generators import open_openai_generator

SEEDS = [
    SeedTask(n, site, f"Find thing {n}", "__SHOP__/", "t", {"sites": [site], "eval": 1})
    for n, site in enumerate(["shop", "shop", "forum"], start=1)
]


class Endpoint:
    """Answers with what the script says, in order; the last answer repeats."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        if isinstance(answer, int):
            return httpx.Response(answer)
        message = {"choices": [{"message": {"content": answer}}]}
        return httpx.Response(200, json=message)

    def generator(self) -> OpenAIGenerator:
        return OpenAIGenerator(
            GeneratorOptions("https://models.test/v1", "m", api_key="s3cret"),
            transport=httpx.MockTransport(self),
            sleep=self.pauses.append,
        )


def proposals(*texts: str, example: int = 1) -> str:
    return json.dumps([{"example": example, "instruction": text} for text in texts])


def test_proposals_grow_from_their_examples_without_evaluators() -> None:
    endpoint = Endpoint(proposals("Find a lamp", "Find a mug"))

    (first, second) = endpoint.generator().propose(SEEDS[:1], count=2, seed=1)

    assert first.instruction == "Find a lamp"
    assert first.parent_id == 1
    assert first.spec == {"sites": ["shop"], "intent": "Find a lamp", "eval": {}}
    assert second.site == "shop"


def test_each_site_is_asked_about_its_own_examples() -> None:
    endpoint = Endpoint(proposals("Find a lamp"))

    endpoint.generator().propose(SEEDS, count=40, seed=1)

    prompts = [
        json.loads(r.content)["messages"][1]["content"] for r in endpoint.requests
    ]
    assert all(("shop" in text) != ("forum" in text) for text in prompts)
    assert len(prompts) <= 6


class Writer(Endpoint):
    """Writes as many tasks as it is asked for."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        prompt = json.loads(request.content)["messages"][1]["content"]
        wanted = int(prompt.rsplit("Write ", 1)[1].split()[0])
        self.script = [proposals(*[f"Find lamp {n}" for n in range(wanted)])]
        return super().__call__(request)


@pytest.mark.parametrize(
    ("count", "shares"),
    [
        *((40, [6, 6, 7, 7, 7, 7]), (7, [1, 1, 1, 1, 1, 2]), (120, [20] * 6)),
        (250, [41, 41, 42, 42, 42, 42]),
    ],
)
def test_each_site_is_asked_for_its_share(count: int, shares: list[int]) -> None:
    seeds = [SeedTask(n, f"site-{n}", "Find it", "u", "t", {}) for n in range(6)]

    found = Writer("").generator().propose(seeds, count=count, seed=1)

    asked = Counter(task.site for task in found)
    assert sorted(asked.values()) == shares


def test_the_order_of_sites_follows_the_seed() -> None:
    seeds = [SeedTask(n, f"site-{n}", "Find it", "u", "t", {}) for n in range(6)]

    def first_site(seed: int) -> str:
        return Writer("").generator().propose(seeds, count=2, seed=seed)[0].site

    firsts = [first_site(seed) for seed in range(20)]
    assert len(set(firsts)) > 3
    assert firsts == [first_site(seed) for seed in range(20)]


def test_never_more_than_asked_for() -> None:
    endpoint = Endpoint(proposals(*[f"Find {n}" for n in range(50)]))

    assert len(endpoint.generator().propose(SEEDS, count=30, seed=1)) == 30


@pytest.mark.parametrize("fault", [429, 500, 503, httpx.ConnectError("no")])
def test_faults_of_the_endpoint_are_retried_with_pauses(fault: Any) -> None:
    endpoint = Endpoint(fault, fault, proposals("Find a lamp"))

    assert endpoint.generator().propose(SEEDS[:1], count=1, seed=1)
    assert endpoint.pauses == [2.0, 4.0]


def test_an_endpoint_that_asks_for_a_pause_gets_it() -> None:
    busy = httpx.Response(429, headers={"Retry-After": "7"})
    endpoint = Endpoint(busy, 503, proposals("Find a lamp"))

    assert endpoint.generator().propose(SEEDS[:1], count=1, seed=1)
    assert endpoint.pauses == [7.0, 4.0]


def test_who_gives_up_waits_as_long_as_the_endpoint_said() -> None:
    endpoint = Endpoint(httpx.Response(429, headers={"Retry-After": "7"}))

    with pytest.raises(GeneratorUnavailable):
        endpoint.generator().propose(SEEDS[:1], count=1, seed=1)
    assert endpoint.pauses == [7.0] * len(endpoint.requests)


def test_who_is_asked_for_a_long_wait_gives_up_at_once_and_says_how_long() -> None:
    endpoint = Endpoint(httpx.Response(429, headers={"Retry-After": "300"}))

    with pytest.raises(GeneratorUnavailable) as told:
        endpoint.generator().propose(SEEDS[:1], count=1, seed=1)
    assert told.value.wait_s == 300
    assert endpoint.pauses == []


@pytest.mark.parametrize("fault", [429, 503, httpx.ConnectError("no")])
def test_an_outage_is_told_from_a_refusal(fault: Any) -> None:
    with pytest.raises(GeneratorUnavailable):
        Endpoint(fault).generator().propose(SEEDS[:1], count=1, seed=1)
    with pytest.raises(GeneratorFailed) as refused:
        Endpoint(401).generator().propose(SEEDS[:1], count=1, seed=1)

    assert not isinstance(refused.value, GeneratorUnavailable)


@pytest.mark.parametrize("fault", [401, 404, 301])
def test_a_refusal_is_not_retried(fault: int) -> None:
    endpoint = Endpoint(fault)

    with pytest.raises(GeneratorFailed, match=str(fault)):
        endpoint.generator().propose(SEEDS[:1], count=1, seed=1)
    assert len(endpoint.requests) == 1


def test_the_key_is_not_in_the_error() -> None:
    with pytest.raises(GeneratorFailed) as caught:
        Endpoint(500).generator().propose(SEEDS[:1], count=1, seed=1)

    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Sure! Here are some tasks.",
        "{}",
        "[1, null, []]",
        "[" * 100_000,
        '[{"example": 9, "instruction": "Find a lamp"}]',
        '[{"example": true, "instruction": "Find a lamp"}]',
        '[{"example": 1, "instruction": 5}]',
        '[{"example": 1, "instruction": " "}]',
    ],
)
def test_an_answer_of_another_shape_is_dropped(answer: str) -> None:
    assert parse_proposals(answer, SEEDS) == []


ARRAY = proposals("Find a lamp")


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{ARRAY}\n```",
        f"Here are the [new] tasks:\n```json\n{ARRAY}\n```\nDone.",
        f"```JSON\r\n{ARRAY}\r\n```",
        f"<think>[not this] {proposals('Find a pan')}</think>\n{ARRAY}",
        f"Let me think of [1] more.</think>{ARRAY}",
        f'{{"tasks": {ARRAY}}}',
        ARRAY.replace("1", '"1"'),
        ARRAY.replace("1", "1.0"),
        f"\ufeff{ARRAY[:-1]},]",
        f'{ARRAY[:-1]}, {{"example": 1, "instruction": "Find [',
    ],
)
def test_tasks_are_read_from_whatever_stands_around_them(answer: str) -> None:
    found = parse_proposals(answer, SEEDS)

    assert [task.instruction for task in found] == ["Find a lamp"]


def test_a_task_may_speak_of_thoughts() -> None:
    assert len(parse_proposals(proposals("Search for </think>"), SEEDS)) == 1


@pytest.mark.parametrize(
    "hostile",
    ["[" * 200_000, "{" * 200_000, "[1," * 60_000, '["' + "x" * 200_000],
)
def test_a_hostile_answer_costs_little(hostile: str) -> None:
    assert parse_proposals(hostile, SEEDS) == []
    assert not parse_judgement(hostile).is_feasible


def test_a_task_holds_nothing_that_no_database_stores() -> None:
    (task,) = parse_proposals(proposals("Find\x00a lamp\ud800"), SEEDS)

    assert task.instruction == "Find a lamp?"


@pytest.mark.parametrize("answer", ["I cannot do that.", "[]", ""])
def test_a_model_that_writes_no_tasks_is_given_up(answer: str) -> None:
    endpoint = Endpoint(answer)

    with pytest.raises(GeneratorFailed, match=f"the last one: {re.escape(answer)}"):
        endpoint.generator().propose(SEEDS, count=1000, seed=1)
    assert len(endpoint.requests) < 20


@pytest.mark.parametrize(
    ("answer", "feasible", "reason"),
    [
        ('{"feasible": true, "reason": "It has a\\n cart"}', True, "It has a cart"),
        ('{"feasible": false, "reason": 5}', False, "No reason given"),
        ('Sure. {"feasible": true, "reason": "ok"} Done.', True, "ok"),
        ('```JSON\n{"feasible": true}\n```', True, "No reason given"),
        ('<think>{"feasible": true}?</think>{"feasible": false}', False, "No reason"),
        ('<think>Is it? {"feasible": true', False, "The judge gave no clear"),
        ('<think>Is it? {"feasible": true}', False, "The judge gave no clear"),
        ('It says {"feasible": true}. {"feasible": false}', False, "The judge gave no"),
        ('{"feasible": "yes"}', False, "The judge gave no clear answer"),
        ("yes", False, "The judge gave no clear answer"),
    ],
)
def test_a_judgement_that_is_unclear_is_a_no(
    answer: str, feasible: bool, reason: str
) -> None:
    judged = parse_judgement(answer)

    assert judged.is_feasible == feasible
    assert judged.reason.startswith(reason)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_question_leaves_its_task_alone_out(status: int) -> None:
    endpoint = Endpoint(status, '{"feasible": true, "reason": "ok"}')
    generator = endpoint.generator()
    task = ProposedTask(1, "shop", "Find a lamp", "__SHOP__/", "", {})

    refused, judged = [generator.judge_feasibility(task) for _ in range(2)]

    assert not refused.is_feasible
    assert refused.reason == f"The judge refused the question: status {status}"
    assert judged.is_feasible


@pytest.mark.parametrize("status", [401, 402, 403, 404, 405])
def test_a_judge_that_refuses_every_question_is_an_error(status: int) -> None:
    task = ProposedTask(1, "shop", "Find a lamp", "__SHOP__/", "", {})

    with pytest.raises(GeneratorFailed, match=str(status)):
        Endpoint(status).generator().judge_feasibility(task)


def test_a_refused_turn_is_passed_over() -> None:
    endpoint = Endpoint(400, proposals("Find a lamp"))

    (task,) = endpoint.generator().propose(SEEDS, count=1, seed=1)

    assert task.instruction == "Find a lamp"
    assert len(endpoint.requests) == 2


def test_an_endpoint_that_refuses_every_turn_is_given_up() -> None:
    endpoint = Endpoint(400)

    with pytest.raises(GeneratorFailed, match="no tasks; the last one: status 400"):
        endpoint.generator().propose(SEEDS, count=1000, seed=1)
    assert len(endpoint.requests) < 20


def test_answers_that_cannot_be_unpacked_are_an_outage() -> None:
    packed = {"Content-Encoding": "gzip"}
    halves = [
        httpx.Response(200, headers=packed, stream=httpx.ByteStream(b"half"))
        for _ in range(5)
    ]

    with pytest.raises(GeneratorUnavailable, match="DecodingError"):
        Endpoint(*halves).generator().propose(SEEDS, count=1, seed=1)


def test_an_answer_that_is_nested_too_deeply_holds_no_tasks() -> None:
    nested = httpx.Response(200, text="[" * 100_000 + "]" * 100_000)
    endpoint = Endpoint(nested, proposals("Find a lamp"))

    (task,) = endpoint.generator().propose(SEEDS, count=1, seed=1)

    assert task.instruction == "Find a lamp"


def test_the_judge_sees_the_task_as_data() -> None:
    endpoint = Endpoint('{"feasible": true, "reason": "ok"}')
    task = ProposedTask(1, "shop", 'Ignore "this"', "__SHOP__/", "", {})

    assert endpoint.generator().judge_feasibility(task).is_feasible
    prompt = json.loads(endpoint.requests[0].content)["messages"][1]["content"]
    assert json.dumps(task.instruction) in prompt


def test_without_an_address_the_generator_says_what_to_set() -> None:
    with pytest.raises(GeneratorError, match="GENERATOR_URL"):
        open_openai_generator()


def test_each_answer_is_yielded_before_the_next_is_asked_for() -> None:
    endpoint = Endpoint(proposals("Find a lamp"), 503)
    parts = endpoint.generator().propose_in_parts(SEEDS[:1], count=2, seed=1)

    (task,) = next(parts)

    assert task.instruction == "Find a lamp"
    assert len(endpoint.requests) == 1
    with pytest.raises(GeneratorUnavailable):
        next(parts)


def test_the_judge_of_an_earlier_jobs_proposals_sees_what_is_possible() -> None:
    endpoint = Endpoint('{"feasible": true, "reason": "ok"}')
    generator = endpoint.generator()
    generator.show_examples(SEEDS)

    generator.judge_feasibility(
        ProposedTask(1, "shop", "Find a lamp", "__SHOP__/", "", {})
    )

    prompt = json.loads(endpoint.requests[0].content)["messages"][1]["content"]
    assert "Find thing 1" in prompt
