from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.errors import WorkbenchError
from rollouts.serving.endpoint_file import parse_endpoints
from rollouts.serving.types import Endpoint

URL = "http://gpu.lab:8000/v1"
COMMAND: dict[str, Any] = {"hand_over": "command", "command": ["reload", "{weights}"]}


def parse(recipe: Any) -> Endpoint:
    return parse_endpoints(json.dumps({URL: recipe}))[URL]


def test_nothing_said_means_the_defaults():
    assert parse({}) == Endpoint()
    assert parse_endpoints("") == {}


def test_every_field_is_read():
    recipe = {
        "api": "sglang",
        "takes_token_ids": False,
        "concurrency": 8,
        "folder": "/mnt/checkpoints",
        "deadline_s": 60,
        "api_key": "s3cret",
    }
    endpoint = parse(recipe | COMMAND)
    assert endpoint.command == ("reload", "{weights}")
    assert (endpoint.api, endpoint.takes_token_ids) == ("sglang", False)
    assert (endpoint.concurrency, endpoint.deadline_s) == (8, 60)
    assert endpoint.folder == "/mnt/checkpoints"
    assert "s3cret" not in repr(endpoint)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("vllm", "must be an object"),
        ({"url": "x"}, "not 'url'"),
        ({"hand_over": "ftp"}, "hand_over must be one of by_hand, command"),
        ({"hand_over": ["command"]}, "hand_over must be one of by_hand, command"),
        ({"hand_over": "command"}, "go together"),
        ({"command": ["x"]}, "go together"),
        (COMMAND | {"command": "reload now"}, "command must be a list"),
        (COMMAND | {"command": ["reload", 1]}, "command must be a list"),
        ({"concurrency": 0}, "concurrency must lie between 1 and 1024"),
        ({"concurrency": 1.5}, "concurrency must lie between"),
        ({"concurrency": True}, "concurrency must lie between"),
        ({"deadline_s": "60"}, "deadline_s must lie between"),
        ({"api_key": 5}, "api_key must be a text"),
        ({"takes_token_ids": "no"}, "takes_token_ids must be true or false"),
    ],
)
def test_a_mistake_is_named_with_its_server(recipe, message):
    with pytest.raises(WorkbenchError, match=message) as told:
        parse(recipe)
    assert told.value.message.startswith(f"SERVED_POLICIES: {URL}: ")


@pytest.mark.parametrize("url", ["gpu.lab", "ftp://x/v1", f"{URL}#m", f"{URL}/", ""])
def test_a_server_is_named_by_its_address_alone(url):
    with pytest.raises(WorkbenchError, match="must be an address like"):
        parse_endpoints(json.dumps({url: {}}))
