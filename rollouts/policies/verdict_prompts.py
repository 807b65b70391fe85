"""The prompt of WebRL's released reward model, byte for byte.

`scripts/process_data.py` of the released code writes it, in Llama 3's turns; the next
token's YES or NO decides. Pages are in the form `webrl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

# "workbench": our own question, in the turns of the model's template.
VerdictName = Literal["workbench", "webrl"]
SYSTEM = (
    "You are an expert in evaluating the performance of a website navigation agent. "
    "The agent is designed to help a human user navigate the website to complete a "
    "task. Given the user\N{RIGHT SINGLE QUOTATION MARK}s intent, the agent's action "
    "history, and the final state of the screen, your goal is to decide whether the "
    "agent\N{RIGHT SINGLE QUOTATION MARK}s execution is successful or not. You must "
    "respond with YES or NO."
)


def verdict_prompt(instruction: str, outputs: Sequence[str], page: str) -> str:
    """Return one text whose next token is the verdict.

    Args:
        instruction: What the agent was asked to do.
        outputs: All its answers, oldest first.
        page: The last page.
    """
    actions = "".join(f"{'; '.join(one.split(chr(10))).strip()}\n" for one in outputs)
    asked = (
        f"The User Intent:\n{instruction.strip()}\n\nAction History:\n{actions}"
        f"\nThe Current Screenshot:\n{page.strip()}"
    )
    return (
        f"<|begin_of_text|>{_turn('system', SYSTEM)}{_turn('user', asked)}"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )


def _turn(role: str, content: str) -> str:
    return f"<|start_header_id|>{role}<|end_header_id|>\n\n{content}<|eot_id|>"
