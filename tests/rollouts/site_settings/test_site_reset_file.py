from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.errors import WorkbenchError
from rollouts.site_settings.site_reset import HttpCall, SiteReset
from rollouts.site_settings.site_reset_file import parse_resets

COMMAND: dict[str, Any] = {
    "command": ["docker", "restart", "forum"],
    "healthy": "http://forum.lab/",
}
CALL: dict[str, Any] = {
    "call": {"url": "http://lab/reset", "headers": {"Authorization": "s3cret"}},
    "healthy": ["docker", "exec", "forum", "true"],
    "deadline_s": 60,
}


def test_a_command_with_an_address_to_ask():
    expected = SiteReset(("docker", "restart", "forum"), "http://forum.lab/", 300.0)
    assert parse_resets(json.dumps({"reddit": COMMAND})) == {"reddit": expected}


def test_a_call_with_a_command_to_ask():
    (reset,) = parse_resets(json.dumps({"reddit": CALL})).values()
    headers = {"Authorization": "s3cret"}
    assert reset.action == HttpCall("http://lab/reset", "POST", headers)
    assert reset.healthy == ("docker", "exec", "forum", "true")
    assert reset.deadline_s == 60.0


def test_secrets_are_not_shown():
    assert "s3cret" not in repr(parse_resets(json.dumps({"reddit": CALL})))


def test_nothing_means_no_resets():
    assert parse_resets("") == {}


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("docker restart forum", "knows call, command"),
        (COMMAND | {"shell": True}, "knows call, command.* only, not 'shell'"),
        (COMMAND | CALL, "a command or a call, not both"),
        ({"healthy": "http://x/"}, "a command or a call, not both"),
        (COMMAND | {"command": "docker restart forum"}, "command must be a list"),
        (COMMAND | {"command": []}, "command must be a list"),
        (COMMAND | {"command": ["docker", 1]}, "command must be a list"),
        ({"command": ["true"]}, "needs healthy"),
        (COMMAND | {"healthy": "forum.lab"}, r"healthy must be an http\(s\) address"),
        (COMMAND | {"healthy": "http://["}, r"healthy must be an http\(s\) address"),
        (CALL | {"call": "http://lab/reset"}, "call must be an object"),
        (CALL | {"call": {"url": "ftp://lab/"}}, "url must be an http"),
        (CALL | {"call": CALL["call"] | {"method": "BREW"}}, "method must be one of"),
        (CALL | {"call": CALL["call"] | {"headers": {"A": 1}}}, "headers must be"),
        (COMMAND | {"deadline_s": 0}, "deadline_s must be above 0"),
        (COMMAND | {"deadline_s": True}, "deadline_s must be above 0"),
    ],
)
def test_a_mistake_is_named_with_its_site(recipe, message):
    with pytest.raises(WorkbenchError, match=f"SITE_RESETS: reddit: .*{message}"):
        parse_resets(json.dumps({"reddit": recipe}))


def test_one_entry_resets_the_instance_that_it_is_told():
    call = {"url": "http://control.lab/reset/{number}", "headers": {"A": "{number}"}}
    recipe = {"call": call, "healthy": "{address}/up"}
    (reset,) = parse_resets(json.dumps({"reddit": recipe})).values()

    filled = reset.fill(3, "http://forum3.lab:9999/")

    assert isinstance(filled.action, HttpCall)
    assert filled.action.url == "http://control.lab/reset/3"
    assert filled.action.headers == {"A": "{number}"}
    assert filled.healthy == "http://forum3.lab:9999/up"


def test_an_entry_for_all_instances_asks_the_same_one_for_its_health():
    recipe = {"command": ["reset", "{number}"], "healthy": "http://forum.lab/"}

    with pytest.raises(WorkbenchError, match=r"healthy must name \{number\} or"):
        parse_resets(json.dumps({"reddit": recipe}))
