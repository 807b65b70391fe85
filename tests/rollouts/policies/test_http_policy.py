from __future__ import annotations

import json

import httpx
import pytest

from curriculum.texts.sentences import code_of
from rollouts.browser.actions.browsergym import browsergym_manual
from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions
from rollouts.policies.protocol import PolicyFailed, PolicyRequest, PolicyUnavailable

REQUEST = PolicyRequest("Buy a mug", ("a", "b"), ("", "no"), "<h1>Shop</h1>", 5)


def answer(text, **more):
    return httpx.Response(
        200, json={"choices": [{"message": {"content": text}} | more]}
    )


class Endpoint:
    """Answers from a script and remembers what it was asked."""

    def __init__(self, *script):
        self.script = list(script)
        self.asked: list[httpx.Request] = []
        self.pauses: list[float] = []
        self.now = 0.0

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        item = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(item, Exception):
            raise item
        return item

    def policy(self, **options):
        return HttpPolicy(
            "http://model.example/v1#tiny",
            HttpPolicyOptions(**options),
            pause=self.pause,
            clock=lambda: self.now,
            transport=httpx.MockTransport(self),
        )

    def body(self, index=0):
        return json.loads(self.asked[index].content)


def ask(endpoint, **options):
    policy = endpoint.policy(**options)
    try:
        return policy.act([REQUEST])[0]
    finally:
        policy.close()


def test_a_model_is_told_what_its_pages_are_written_as():
    endpoint = Endpoint(answer("x"))
    ask(endpoint, observation="accessibility_tree")
    system, *rest = endpoint.body()["messages"]
    assert "an accessibility tree: a line an element" in system["content"]
    assert {"role": "user", "content": "** Accessibility tree **"} in rest


def test_a_model_is_told_which_calls_are_understood():
    endpoint = Endpoint(answer("x"))
    ask(endpoint, action_dialect="browsergym")
    system = endpoint.body()["messages"][0]["content"]
    assert "# Element: Add to cart\nclick('12')\n" in system
    assert browsergym_manual() in system
    assert "do(action=" not in system


def test_the_endpoint_is_asked_for_one_chat_completion():
    endpoint = Endpoint(answer("go_backward()"))
    assert ask(endpoint, temperature=0.5, api_key="k").output == "go_backward()"
    assert str(endpoint.asked[0].url) == "http://model.example/v1/chat/completions"
    assert endpoint.asked[0].headers["Authorization"] == "Bearer k"
    body = endpoint.body()
    assert (body["model"], body["temperature"], body["seed"]) == ("tiny", 0.5, 5)
    assert body["messages"][0]["role"] == "system"
    assert "go_backward()" in body["messages"][0]["content"]
    assert body["messages"][-1] == {
        "role": "user",
        "content": "Error: no\n\n<h1>Shop</h1>",
    }


def test_the_page_is_cut_to_the_longest_prompt():
    endpoint = Endpoint(answer("x"))
    ask(endpoint, prompt="plain", max_prompt_tokens=20)
    contents = [message["content"] for message in endpoint.body()["messages"]]
    assert contents[0] == "Task Instruction: Buy a mug"
    assert sum(len(content) for content in contents) == 60


def test_answers_keep_the_order_of_the_requests():
    policy = HttpPolicy(
        "http://model.example/v1#tiny",
        transport=httpx.MockTransport(
            lambda request: answer(
                json.loads(request.content)["messages"][-1]["content"]
            )
        ),
    )
    pages = [f"<p>{number}</p>" for number in range(20)]
    requests = [PolicyRequest("x", (), (), page, 0) for page in pages]
    answers = [item.output.partition("\n\n")[2] for item in policy.act(requests)]
    assert answers == pages
    policy.close()


def test_log_probabilities_are_summed_over_the_tokens():
    logprobs = {"content": [{"logprob": -0.5}, {"logprob": -0.25}]}
    endpoint = Endpoint(answer("x", logprobs=logprobs))
    got = ask(endpoint)
    assert (got.log_probability, got.token_count) == (-0.75, 2)
    assert endpoint.body()["logprobs"] is True


def test_token_ids_are_kept_with_their_log_probabilities():
    logprobs = {"content": [{"logprob": -0.5}, {"logprob": -0.25}]}
    endpoint = Endpoint(answer("x", logprobs=logprobs, token_ids=[7, 2]))
    got = ask(endpoint)
    assert got.token_ids == (7, 2)
    assert got.token_log_probabilities == (-0.5, -0.25)
    assert endpoint.body()["return_token_ids"] is True


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, (9, 4)),
        ({"prompt_tokens": 10**12, "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": "9"}, (None, None)),
        ([9, 4], (None, None)),
        (None, (None, None)),
    ],
)
def test_what_is_billed_is_read_where_it_makes_sense(usage, counts):
    told = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    got = ask(Endpoint(httpx.Response(200, json=told)))
    assert (got.prompt_token_count, got.token_count) == counts


def test_older_servers_write_ids_where_tokens_would_stand():
    tokens = [
        {"logprob": -0.5, "token": "token_id:7"},
        {"logprob": -0.25, "token": "token_id:2"},
    ]
    endpoint = Endpoint(answer("x", logprobs={"content": tokens}))
    got = ask(endpoint)
    assert (got.token_ids, got.token_log_probabilities) == ((7, 2), (-0.5, -0.25))
    assert endpoint.body()["return_tokens_as_token_ids"] is True


@pytest.mark.parametrize("text", ["token_id:", "token_id:x", "7", "token_id:-1", None])
def test_texts_of_tokens_are_no_ids(text):
    tokens = [{"logprob": -0.5, "token": text}]
    got = ask(Endpoint(answer("x", logprobs={"content": tokens})))
    assert (got.token_ids, got.log_probability) == ((), -0.5)


@pytest.mark.parametrize("ids", [[7], "72", [7, "2"], [True, False], None])
def test_token_ids_that_do_not_fit_are_left_out(ids):
    logprobs = {"content": [{"logprob": -0.5}, {"logprob": -0.25}]}
    got = ask(Endpoint(answer("x", logprobs=logprobs, token_ids=ids)))
    assert (got.token_ids, got.token_log_probabilities) == ((), ())
    assert got.log_probability == -0.75


def test_a_server_that_knows_no_tokens_is_asked_without_from_then_on():
    no = httpx.Response(422)
    endpoint = Endpoint(no, no, answer("a"), answer("b"))
    policy = endpoint.policy()
    assert [policy.answer(REQUEST).output for _ in range(2)] == ["a", "b"]
    asked = ["logprobs" in endpoint.body(n) for n in range(4)]
    assert asked == [True, True, False, False]


def test_token_ids_are_given_up_before_log_probabilities():
    endpoint = Endpoint(httpx.Response(422), answer("a"), answer("b"))
    policy = endpoint.policy()
    assert [policy.answer(REQUEST).output for _ in range(2)] == ["a", "b"]
    assert "return_token_ids" not in endpoint.body(2)
    assert endpoint.body(2)["logprobs"] is True


def test_a_refused_prompt_does_not_end_asking_for_tokens():
    no = httpx.Response(400, text="too long")
    endpoint = Endpoint(no, no, no, answer("a"))
    policy = endpoint.policy()
    with pytest.raises(PolicyFailed, match="400: Bad Request"):
        policy.answer(REQUEST)
    assert policy.answer(REQUEST).output == "a"
    assert "logprobs" in endpoint.body(3)


def test_a_released_model_is_given_a_text_to_continue():
    scores = {"token_logprobs": [-0.5, -0.25]}
    completion = {"text": "go_backward()", "logprobs": scores, "token_ids": [7, 2]}
    endpoint = Endpoint(httpx.Response(200, json={"choices": [completion]}))
    got = ask(endpoint, prompt="webrl")
    assert str(endpoint.asked[0].url) == "http://model.example/v1/completions"
    assert (got.output, got.token_ids) == ("go_backward()", (7, 2))
    body = endpoint.body()
    assert (body["stop"], body["logprobs"]) == (["<|eot_id|>"], 0)
    assert body["prompt"].startswith("Task Instruction: Buy a mug\n\nRound 0\n")


def test_an_overloaded_endpoint_is_asked_again_when_it_says():
    busy = httpx.Response(429, headers={"Retry-After": "7"})
    endpoint = Endpoint(busy, httpx.ConnectError("refused"), answer("ok"))
    assert ask(endpoint).output == "ok"
    assert 7 <= endpoint.pauses[0] < 9
    assert 2 <= endpoint.pauses[1] < 3


def test_an_answer_says_how_long_the_endpoint_let_it_wait():
    busy = httpx.Response(429, headers={"Retry-After": "7"})
    endpoint = Endpoint(busy, httpx.ConnectError("refused"), answer("ok"))
    assert ask(endpoint).waited_s == sum(endpoint.pauses)
    assert ask(Endpoint(answer("ok"))).waited_s == 0


def test_who_gives_up_waits_as_long_as_the_endpoint_said():
    busy = httpx.Response(429, headers={"Retry-After": "7"})
    endpoint = Endpoint(*[busy] * 5)
    with pytest.raises(PolicyUnavailable):
        ask(endpoint, attempts=5)
    # The episode is free again only then, for another worker as well.
    assert len(endpoint.pauses) == 5
    assert endpoint.pauses[-1] >= 7


def test_who_gives_up_on_a_silent_endpoint_does_not_wait():
    endpoint = Endpoint(*[httpx.ConnectError("refused")] * 5)
    with pytest.raises(PolicyUnavailable):
        ask(endpoint, attempts=5)
    assert len(endpoint.pauses) == 4


def test_a_date_may_say_when_to_ask_again():
    past = {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}
    endpoint = Endpoint(httpx.Response(503, headers=past), answer("ok"))
    assert ask(endpoint).output == "ok"
    assert endpoint.pauses == [0.0]


def test_who_is_asked_for_a_long_wait_gives_up_at_once_and_says_how_long():
    busy = httpx.Response(429, headers={"Retry-After": "300"})
    endpoint = Endpoint(busy, answer("ok"))
    with pytest.raises(PolicyUnavailable, match="asks its clients to wait") as told:
        ask(endpoint, longest_pause_s=60.0)
    assert told.value.wait_s == 300
    assert endpoint.pauses == []
    assert len(endpoint.asked) == 1


def test_no_endpoint_gets_a_wait_of_more_than_an_hour():
    busy = httpx.Response(429, headers={"Retry-After": "99999999999"})
    with pytest.raises(PolicyUnavailable) as told:
        ask(Endpoint(busy))
    assert told.value.wait_s == 3600


@pytest.mark.parametrize(
    "rubbish",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"choices": []}),
        httpx.Response(200, json=[1]),
        httpx.Response(200, json={"choices": [{"message": "x"}]}),
        httpx.Response(200, json={"choices": [{"message": {"content": [1]}}]}),
        httpx.Response(500),
        httpx.ReadTimeout("slow"),
    ],
)
def test_an_endpoint_that_never_answers_is_given_up(rubbish):
    endpoint = Endpoint(rubbish)
    with pytest.raises(PolicyFailed, match="no answer in 3 tries"):
        ask(endpoint, attempts=3)
    assert len(endpoint.asked) == 3


def test_a_silent_host_is_given_up_sooner_than_a_slow_answer():
    endpoint = Endpoint(answer("exit()"))
    ask(endpoint, timeout_s=90.0, connect_timeout_s=4.0)
    timeout = endpoint.asked[0].extensions["timeout"]
    assert timeout["connect"] == 4.0
    assert timeout["read"] == 90.0


def test_a_dead_endpoint_is_named_with_its_address_and_cause():
    endpoint = Endpoint(httpx.ConnectError("Connection refused"))
    with pytest.raises(PolicyFailed) as told:
        ask(endpoint, attempts=2)

    sentence = str(told.value)
    assert sentence == (
        "The model at http://model.example/v1 gave no answer in 2 tries: "
        "Connection refused"
    )
    assert code_of(sentence)["code"] == "model_silent"


def test_a_password_in_an_address_is_not_told():
    policy = HttpPolicy(
        "http://me:secret@model.example/v1#tiny",
        transport=httpx.MockTransport(lambda request: httpx.Response(401)),
    )
    with pytest.raises(PolicyFailed) as told:
        policy.act([REQUEST])
    policy.close()

    assert "model.example" in str(told.value)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("fault", [httpx.ConnectError("no"), httpx.Response(503)])
def test_an_outage_is_told_from_a_refusal(fault):
    with pytest.raises(PolicyUnavailable):
        ask(Endpoint(fault), attempts=2)
    for refusal in (httpx.Response(401), httpx.Response(200, text="<html>")):
        with pytest.raises(PolicyFailed) as told:
            ask(Endpoint(refusal), attempts=2)
        assert not isinstance(told.value, PolicyUnavailable)


def test_a_refusal_is_not_asked_again():
    endpoint = Endpoint(httpx.Response(401, text="no such key"))
    with pytest.raises(PolicyFailed, match="status 401: Unauthorized"):
        ask(endpoint)
    assert len(endpoint.asked) == 1


def test_an_empty_message_is_an_answer():
    assert ask(Endpoint(answer(None))).output == ""


@pytest.mark.parametrize("uri", ["http://x/v1", "file:///x#m", "x#m", ""])
def test_an_address_names_the_model(uri):
    with pytest.raises(ValueError, match="expected http"):
        HttpPolicy(uri)


def test_the_key_is_not_shown():
    assert "secret" not in repr(HttpPolicyOptions(api_key="secret"))
