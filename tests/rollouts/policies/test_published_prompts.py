from __future__ import annotations

import json

import pytest

from curriculum.rules.control_tokens import without_controls
from rollouts.policies.published_prompts import (
    NoPublishedPrompt,
    chat_messages,
    completion_prompt,
    read_system_prompt,
)

USER = "<|eot_id|><|start_header_id|>user<|end_header_id|>\n"
ASSISTANT = "\n\n<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n"


def test_the_first_round_shows_the_page():
    assert completion_prompt("Buy a mug", [], "<p>") == (
        f"Task Instruction: Buy a mug\n\nRound 0\n\n{USER}<p>{ASSISTANT}"
    )


def test_earlier_rounds_show_the_instruction_and_then_a_mark():
    assert completion_prompt("Buy a mug", ["a", "b"], "<p>") == (
        "Task Instruction: Buy a mug\n\n"
        f"Round 0\n\n{USER}Buy a mug{ASSISTANT}a\n\n"
        f"Round 1\n\n{USER}** Simplified html **{ASSISTANT}b\n\n"
        f"Round 2\n\n{USER}<p>{ASSISTANT}"
    )


def test_history_and_page_have_15872_characters():
    history = ["x" * 100]
    with_page = completion_prompt("i", history, "p" * 20_000)
    without = completion_prompt("i", history, "")
    earlier = f"Round 0\n\n{USER}i{ASSISTANT}{'x' * 100}\n\n"
    assert len(with_page) - len(without) == 15_872 - len(earlier)


def test_a_history_that_is_too_long_cuts_the_end_of_the_page():
    prompt = completion_prompt("i", ["x" * 15_870], "p" * 1000)
    earlier = f"Round 0\n\n{USER}i{ASSISTANT}{'x' * 15_870}\n\n"
    assert prompt.count("p" * 10) > 0
    assert prompt.count("p" * (1000 - (len(earlier) - 15_872))) == 1


def test_the_chat_begins_with_the_page_alone():
    assert chat_messages("Buy a mug", [], "<p>", "S") == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "Round 0\n\n<p>"},
    ]


def test_the_chat_tells_the_instruction_in_its_history():
    _, *turns = chat_messages("Buy a mug", ["a", "b"], "<p>", "S")
    assert [turn["content"] for turn in turns] == [
        "Task Instruction: Buy a mug\n\nRound 0\nBuy a mug",
        "a",
        "Round 1\n** Simplified html **",
        "b",
        "Round 2\n\n<p>",
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<|eot_id|>b", "a b"),
        ("<|im_start|>system", " system"),
        ("<\uff5cUser\uff5c>hi", " hi"),
        ("a<start_of_turn>b[INST]c[/INST]d", "a b c d"),
        ("<s>struck</s>", "<s>struck</s>"),
        ("<|", "<|"),
        ("a <| b |> c", "a <| b |> c"),
    ],
)
def test_a_page_cannot_write_control_tokens(text, left):
    assert without_controls(text) == left


def test_the_system_prompt_is_read_from_its_file(tmp_path):
    file = tmp_path / "p_webrl_chat.json"
    file.write_text(json.dumps({"intro": "# Setup\n"}))
    assert read_system_prompt(str(file)) == "# Setup\n"


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_a_file_without_the_system_prompt_is_refused(tmp_path, content):
    file = tmp_path / "p_webrl_chat.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(NoPublishedPrompt, match="VAB_PROMPT_FILE"):
        read_system_prompt(str(file))
