from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from curriculum.texts.sentences import code_of
from rollouts.serving.types import (
    Endpoint,
    HandOverFailed,
    HandOverStopped,
    Way,
    Weights,
)
from rollouts.serving.ways import hand_over
from tests.served_model import ServedModel, serving

WEIGHTS = Weights("lab-2-abc", "abc123", "/w/lab/policy", "/w/lab/adapter")


@pytest.fixture
def model() -> ServedModel:
    return ServedModel("base")


@pytest.fixture
def url(model: ServedModel) -> Iterator[str]:
    with serving(model) as address:
        yield address


def give(url: str, way: Way, weights: Weights = WEIGHTS, **more) -> str:
    endpoint = Endpoint(hand_over=way, **{"deadline_s": 20.0, **more})
    return hand_over(f"{url}#base", endpoint, weights, lambda: False)


def test_vllm_loads_the_adapter_under_a_name_of_its_own(model, url):
    assert give(url, "vllm_adapter") == f"{url}#lab-2-abc"
    body = {"lora_name": "lab-2-abc", "lora_path": "/w/lab/adapter"}
    assert model.asked == [("/v1/load_lora_adapter", body)]


def test_sglang_is_asked_for_base_and_adapter(model, url):
    assert give(url, "sglang_adapter") == f"{url}#base:lab-2-abc"
    assert [path for path, _ in model.asked] == ["/load_lora_adapter"]


def test_a_second_adapter_takes_the_place_of_the_first(url):
    endpoint = Endpoint(hand_over="sglang_adapter")
    served = hand_over(f"{url}#base:lab-1-aaa", endpoint, WEIGHTS, lambda: False)
    assert served == f"{url}#base:lab-2-abc"


@pytest.mark.parametrize("way", ["vllm_adapter", "sglang_adapter"])
def test_an_adapter_that_is_there_is_not_loaded_again(model, url, way):
    first = give(url, way)
    assert give(url, way) == first
    assert len(model.asked) == 1


def test_sglang_loads_whole_weights_under_the_same_name(model, url):
    assert give(url, "sglang_weights") == f"{url}#base"
    body = {"model_path": "/w/lab/policy", "weight_version": "abc123"}
    assert model.asked == [("/update_weights_from_disk", body)]


def test_the_key_goes_with_the_call(model, url):
    give(url, "sglang_weights", api_key="s3cret")
    assert model.headers[0]["Authorization"] == "Bearer s3cret"


@pytest.mark.parametrize("way", ["vllm_adapter", "sglang_adapter"])
def test_without_an_adapter_nothing_is_called(model, url, way):
    with pytest.raises(HandOverFailed) as told:
        give(url, way, Weights("n", "d", "/w/lab/policy"))
    assert code_of(str(told.value))["code"] == "no_adapter"
    assert model.asked == []


@pytest.mark.parametrize(
    "answer", [(400, {"message": "rank 64 > 16"}), (200, {"success": False})]
)
def test_a_refusal_is_told_without_the_servers_words(model, url, answer):
    model.answers["/load_lora_adapter"] = answer
    with pytest.raises(HandOverFailed) as told:
        give(url, "sglang_adapter")
    assert str(told.value).startswith(
        f"POST /load_lora_adapter was answered {answer[0]}"
    )
    assert "rank" not in str(told.value)


def test_a_server_that_is_gone_is_named():
    with pytest.raises(
        HandOverFailed, match=r"http://127\.0\.0\.1:1/v1 did not answer"
    ):
        give("http://127.0.0.1:1/v1", "sglang_weights")


def test_a_command_is_told_which_weights(url, tmp_path):
    code = "import sys; open(sys.argv[1], 'w').write(' '.join(sys.argv[2:]))"
    said = tmp_path / "said"
    places = ("{weights}", "{adapter}", "{digest}", "{name}", "{model}")
    command = (sys.executable, "-c", code, str(said), *places)
    assert give(url, "command", command=command) == f"{url}#base"
    expected = "/w/lab/policy /w/lab/adapter abc123 lab-2-abc base"
    assert said.read_text() == expected


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ((sys.executable, "-c", "raise SystemExit(3)"), "reload_ended"),
        ((sys.executable, "-c", "import time; time.sleep(60)"), "reload_late"),
    ],
)
def test_a_command_that_fails_says_how(url, command, code):
    with pytest.raises(HandOverFailed) as told:
        give(url, "command", command=command, deadline_s=1.0)
    assert code_of(str(told.value))["code"] == code


def test_a_command_that_is_none_is_named(url):
    with pytest.raises(HandOverFailed, match="could not be started"):
        give(url, "command", command=("/nowhere/reload",))


def test_after_a_command_the_server_must_list_the_model(model, url):
    model.models.clear()
    with pytest.raises(HandOverFailed) as told:
        give(url, "command", command=("true",), deadline_s=1.0)
    assert code_of(str(told.value))["code"] == "model_missing"


def test_a_stage_that_is_over_ends_the_wait(model, url):
    model.models.clear()
    endpoint = Endpoint(hand_over="command", command=("true",))
    with pytest.raises(HandOverStopped):
        hand_over(f"{url}#base", endpoint, WEIGHTS, lambda: True)
