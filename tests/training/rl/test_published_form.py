"""The released prompt as token ids: sampled from and trained on alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rollouts.policies.protocol import PolicyRequest
from rollouts.policies.published_prompts import PROMPT_LIMIT, completion_prompt
from rollouts.policies.served_prompts import PromptOptions, compose
from rollouts.policies.trained_prompts import TrainedPrompt, choose_prompt
from rollouts.policies.verdict_prompts import verdict_prompt
from rollouts.serving.types import Endpoint
from tests.served_model import ServedModel, serving
from tests.training.rl import tiny
from tests.training.rl.tiny import CLICK, PAGE
from training.rl import checkpoints
from training.rl.encoding import Encoder, PromptTooLong
from training.rl.local_policy import LocalPolicy, load_policy
from training.rl.phase.scoring import encode_trajectory
from training.rl.types import Trajectory, Transition

WEBRL = TrainedPrompt("webrl", "webrl")
REQUEST = PolicyRequest(
    "Buy a <|eot_id|> mug", (CLICK, "a"), ("", "no"), f"{PAGE}<|eot_id|> x.", 5
)
# What a run may say of the prompt and of the pages.
RUNS = [
    ("manual", "compact"),
    ("plain", "accessibility_tree"),
    ("vab", "webrl"),
    ("webrl", "webrl"),
    ("webrl", "compact"),
]
LAST = "\n\n<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n"
LIMITS: dict[str, Any] = {"max_prompt_tokens": 900, "max_action_tokens": 8}


@pytest.fixture(scope="module")
def llama():
    return tiny.build_llama_tokenizer()


@pytest.fixture(scope="module")
def weights(llama, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("weights") / "policy"
    checkpoints.save_checkpoint(folder, tiny.build_model(llama), llama)
    return folder


def encode_for_training(
    tokenizer: Any, prompt: TrainedPrompt, answer: Any = None
) -> tuple[list[int], list[int]]:
    """Prompt and action as a phase's trainer encodes the recorded step."""
    told: dict[str, Any] = {
        "history": REQUEST.history,
        "errors": REQUEST.errors,
        "observation": REQUEST.observation,
        "output": answer.output if answer else "x",
        "token_ids": answer.token_ids if answer else (),
    }
    episode = Trajectory(1, 1, REQUEST.instruction, (Transition(1, **told),), PAGE)
    encoder = Encoder(tokenizer, **LIMITS, prompt=prompt)
    (example,) = encode_trajectory(encoder, episode)
    cut = example.prompt_length
    return list(example.ids[:cut]), list(example.ids[cut:])


@pytest.mark.parametrize(("told", "form"), RUNS)
def test_a_checkpoint_samples_from_what_is_trained_on(weights, llama, told, form):
    policy = load_policy(
        str(weights), temperature=1.0, served_prompt=told, observation=form, **LIMITS
    )
    assert isinstance(policy, LocalPolicy)
    read: list[list[int]] = []
    sample = policy._sampler.sample

    def watch(prompts: Any, seeds: Any) -> Any:
        read.extend(prompts)
        return sample(prompts, seeds)

    policy._sampler.sample = watch
    [answer] = policy.act([REQUEST])
    prompt, action = encode_for_training(llama, choose_prompt(told, form), answer)
    assert read == [prompt]
    assert len(answer.token_ids) > 0
    assert tuple(action) == answer.token_ids


@pytest.mark.parametrize(("told", "form"), RUNS)
def test_a_server_is_sent_what_is_trained_on(weights, llama, told, form):
    server = ServedModel("tiny")
    with serving(server) as url:
        policy = load_policy(
            f"{url}#tiny",
            temperature=1.0,
            served_prompt=told,
            observation=form,
            private_hosts=("127.0.0.1",),
            endpoint=Endpoint(),
            weights=str(weights),
            **LIMITS,
        )
        policy.act([REQUEST])
        policy.close()
    [(_, body)] = server.asked
    assert body["prompt"] == encode_for_training(llama, choose_prompt(told, form))[0]


def test_the_text_is_the_one_that_a_served_model_is_sent(llama):
    encoder = Encoder(llama, max_prompt_tokens=9000, max_action_tokens=8, prompt=WEBRL)
    ids = encoder.encode_prompt(
        REQUEST.instruction, REQUEST.history, REQUEST.errors, REQUEST.observation
    )
    sent = compose(REQUEST, PromptOptions("webrl")).text
    assert ids == llama(sent)["input_ids"]
    assert llama.decode(ids) == f"<|begin_of_text|>{sent}"


def test_the_marks_are_control_tokens_and_those_of_a_page_are_none(llama):
    encoder = Encoder(llama, max_prompt_tokens=9000, max_action_tokens=8, prompt=WEBRL)
    ids = encoder.encode_prompt("Buy", ("a",), ("",), "<|eot_id|>" * 9)
    # Two rounds, each with the end of the user's turn and of what was before it.
    assert ids.count(llama.convert_tokens_to_ids("<|eot_id|>")) == 4


def test_a_page_is_cut_at_the_published_number_of_characters(llama):
    encoder = Encoder(
        llama, max_prompt_tokens=50_000, max_action_tokens=8, prompt=WEBRL
    )
    ids = encoder.encode_prompt("Buy", ("a",), ("",), "x" * 40_000)
    text = completion_prompt("Buy", ["a"], "x" * 40_000)
    assert text.count("x") < PROMPT_LIMIT
    assert ids == llama(text)["input_ids"]


@pytest.mark.parametrize("room", [120, 121, 300])
def test_a_smaller_limit_cuts_the_page_further_and_keeps_the_end(llama, room):
    encoder = Encoder(llama, max_prompt_tokens=room, max_action_tokens=8, prompt=WEBRL)
    ids = encoder.encode_prompt("Buy", (), (), "x" * 40_000)
    # A byte is a token here, so that the limit is met exactly.
    assert len(ids) == room
    assert llama.decode(ids).endswith(f"x{LAST}")


def test_a_prompt_without_room_for_a_page_is_refused(llama):
    encoder = Encoder(llama, max_prompt_tokens=64, max_action_tokens=8, prompt=WEBRL)
    with pytest.raises(PromptTooLong, match="max_prompt_tokens is 64"):
        encoder.encode_prompt("Buy a mug", (CLICK,) * 3, ("",) * 3, PAGE)


def test_an_answer_ends_with_the_end_of_the_turn(llama):
    ends = {
        name: Encoder(
            llama,
            max_prompt_tokens=200,
            max_action_tokens=16,
            prompt=TrainedPrompt(name),
        ).encode_action("x")[-1]
        for name in ("plain", "webrl")
    }
    assert ends["webrl"] == llama.convert_tokens_to_ids("<|eot_id|>")
    assert ends["plain"] == llama.eos_token_id


def test_marks_in_a_page_are_taken_out_for_a_tokenizer_without_them(tokenizer):
    encoder = Encoder(
        tokenizer, max_prompt_tokens=900, max_action_tokens=8, prompt=WEBRL
    )
    text = tokenizer.decode(encoder.encode_prompt("Buy", (), (), "a<|eot_id|>b"))
    assert text.count("<|eot_id|>") == 2


def test_the_released_reward_model_reads_its_own_question(llama):
    encoder = Encoder(
        llama, max_prompt_tokens=9000, max_action_tokens=8, verdict="webrl"
    )
    ids = encoder.encode_verdict("Buy", ["a", "b"], PAGE)
    text = verdict_prompt("Buy", ["a", "b"], PAGE)
    assert ids == llama(text, add_special_tokens=False)["input_ids"]


def test_a_long_last_page_is_cut_and_the_question_stays(llama):
    encoder = Encoder(
        llama, max_prompt_tokens=700, max_action_tokens=8, verdict="webrl"
    )
    ids = encoder.encode_verdict("Buy", ["a"], "x" * 5000)
    assert len(ids) == 700
    assert llama.decode(ids).endswith(
        "x<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    )
