"""Actions as tools of an OpenAI-compatible API, asked of a fake server."""

from __future__ import annotations

import json

import httpx
import pytest

from rollouts.browser.actions.dialects import DIALECTS, NO_TOOL
from rollouts.browser.actions.webrl import KINDS
from rollouts.browser.types import Action
from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions
from rollouts.policies.prompts import build_messages
from rollouts.policies.protocol import PolicyRequest
from rollouts.policies.served_prompts import PromptOptions, compose
from rollouts.policies.tool_calls import list_tools, write_answer

PARSE = DIALECTS["tools"].parse
CLICK = '# The cart\ndo(action="Click", element="3")'
REQUEST = PolicyRequest("Buy a mug", (CLICK, "hm"), ("gone", "no tool"), "<p>", 5)


def call(name, arguments, said=None):
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": given}
    calls = [{"id": "a", "type": "function", "function": function}]
    return {"role": "assistant", "content": said, "tool_calls": calls}


class ToolServer:
    """Refuses what OpenAI's API refuses: calls without results, results without."""

    def __init__(self, message):
        self.message = message
        self.body = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.body = json.loads(request.content)
        open_calls: list[str] = []
        for message in self.body["messages"]:
            if message["role"] == "tool":
                open_calls.remove(message["tool_call_id"])
            elif open_calls:
                return httpx.Response(400, text="a call has no result")
            open_calls += [one["id"] for one in message.get("tool_calls", ())]
        return httpx.Response(200, json={"choices": [{"message": self.message}]})


def ask(server, request=REQUEST, **options):
    policy = HttpPolicy(
        "http://model.example/v1#tiny",
        HttpPolicyOptions(action_dialect="tools", asks_tokens=False, **options),
        transport=httpx.MockTransport(server),
    )
    try:
        return policy.act([request])[0].output
    finally:
        policy.close()


def test_a_call_of_a_tool_becomes_an_action():
    server = ToolServer(call("type", {"element": 4, "argument": 'a "b"\nc'}, "Name"))
    output = ask(server)
    assert PARSE(output) == Action("Type", 4, 'a "b"\nc')
    assert output.startswith("# Name\n")


def test_the_server_is_given_the_tools_and_told_to_call_one():
    server = ToolServer(call("go_home", {}))
    ask(server)
    assert server.body["tools"] == list_tools()
    assert server.body["tool_choice"] == "required"
    assert "do(action=" not in server.body["messages"][0]["content"]


def test_earlier_steps_are_calls_with_their_results():
    server = ToolServer(call("exit", {}))
    ask(server)
    _, task, called, result, said, last = server.body["messages"]
    assert task["content"] == "Task Instruction: Buy a mug"
    (made,) = called["tool_calls"]
    assert made["function"]["name"] == "click"
    assert json.loads(made["function"]["arguments"]) == {"element": 3}
    assert called["content"] == "The cart"
    assert result == {
        "role": "tool",
        "tool_call_id": made["id"],
        "content": "Error: gone",
    }
    assert said == {"role": "assistant", "content": "hm"}
    assert last == {"role": "user", "content": "Error: no tool\n\n<p>"}


def test_where_turns_alternate_earlier_steps_are_texts():
    server = ToolServer(call("exit", {}))
    ask(server, chat_turns="alternating")
    roles = [one["role"] for one in server.body["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert server.body["tools"] == list_tools()


@pytest.mark.parametrize("name", KINDS)
def test_every_action_is_a_tool_whose_call_is_read(name):
    kind = KINDS[name]
    (tool,) = [
        one["function"]
        for one in list_tools()
        if one["function"]["name"] == name.lower().replace(" ", "_")
    ]
    wanted = tool["parameters"]["properties"]
    given = {"element": 7, "argument": "1"}
    arguments = {one: given[one] for one in wanted}
    action = PARSE(write_answer(call(tool["name"], arguments)))
    assert (action.name, action.error) == (name, "")
    assert action.element == (7 if kind.needs_element else None)
    assert action.argument == arguments.get("argument", "")


@pytest.mark.parametrize("text", ["it's", "C:\\new", "äöü 漢字", '"); exit()', "[]"])
def test_any_text_is_typed_as_it_stands(text):
    message = call("type", {"element": 1, "argument": text})
    assert PARSE(write_answer(message)).argument == text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fly", {}),
        ("click", "{"),
        ("click", "[" * 100_000),
        ("click", "[1]"),
        ("click", {}),
        ("click", {"element": "#buy"}),
        ("click", {"element": 10**9}),
        ("type", {"element": 1}),
    ],
)
def test_a_call_that_is_no_action_is_an_invalid_answer(name, arguments):
    action = PARSE(write_answer(call(name, arguments)))
    assert action.name == ""
    assert action.error


def test_an_answer_without_a_call_says_so():
    server = ToolServer({"role": "assistant", "content": "I am done."})
    assert PARSE(ask(server)).error == NO_TOOL


def test_of_several_calls_the_first_counts():
    message = call("click", {"element": 1})
    message["tool_calls"] += call("exit", {})["tool_calls"]
    assert PARSE(write_answer(message)) == Action("Click", 1)


@pytest.mark.parametrize("prompt", ["vab", "webrl"])
def test_a_published_prompt_is_sent_without_tools(prompt):
    sent = compose(REQUEST, PromptOptions(prompt, action_dialect="tools"))
    assert "tools" not in sent.body()


def test_a_page_is_cut_to_the_longest_prompt_beside_calls():
    request = PolicyRequest("i", (CLICK,), ("",), "p" * 9000, 5)
    sent = compose(request, PromptOptions("plain", 1500, action_dialect="tools"))
    calls = sum(
        len(one["function"]["arguments"])
        for message in sent.messages
        for one in message.get("tool_calls", ())
    )
    assert sum(len(one["content"]) for one in sent.messages) + calls == 4500


def test_other_dialects_are_sent_as_before():
    sent = compose(REQUEST, PromptOptions("plain"))
    told = build_messages("Buy a mug", REQUEST.history, REQUEST.errors, "<p>")
    assert sent.body() == {"messages": told}
