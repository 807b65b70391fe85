from __future__ import annotations

from rollouts.policies.verdict_prompts import SYSTEM, verdict_prompt


def test_the_released_reward_model_is_asked_in_its_own_words():
    text = verdict_prompt(
        " Buy a mug ", ['# Element: Mug\ndo(action="Click")', "exit()"], " <html> "
    )

    assert text == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"
        f"{SYSTEM}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n"
        "The User Intent:\nBuy a mug\n\nAction History:\n"
        '# Element: Mug; do(action="Click")\nexit()\n'
        "\nThe Current Screenshot:\n<html><|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )
