"""The prompts of VisualAgentBench's text runner, byte for byte.

`completion_prompt` is what WebRL's released checkpoints were trained on,
`chat_messages` is the runner's prompt for chat models (`VAB-WebArena-Lite`, commit
9055fc2). Both keep only the output of an earlier step and contain no errors.
docs/fidelity_observation.md has the comparison.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rollouts.policies.prompts import OLD_PAGE, Message
from rollouts.policies.protocol import PolicyFailed

# Characters of history and page together (the script: 16,384 - 512).
PROMPT_LIMIT = 15_872
END_OF_TURN = "<|eot_id|>"
_USER = f"{END_OF_TURN}<|start_header_id|>user<|end_header_id|>\n"
_ASSISTANT = f"\n\n{END_OF_TURN}<|start_header_id|>assistant<|end_header_id|>\n"
_TASK = "Task Instruction: "


class NoPublishedPrompt(PolicyFailed):
    """The file with the published system prompt is missing, or has other content."""


def completion_prompt(instruction: str, history: Sequence[str], page: str) -> str:
    """Return one text that a model continues, for `/completions`.

    Args:
        instruction: What the agent is asked to do.
        history: Outputs of the earlier steps, oldest first.
        page: The current page in the form `webrl`, cut to fit `PROMPT_LIMIT`.
    """
    earlier = "".join(
        _round(number, instruction if number == 0 else OLD_PAGE) + output + "\n\n"
        for number, output in enumerate(history)
    )
    if len(earlier) + len(page) > PROMPT_LIMIT:
        # Once the history alone is too long this is negative and cuts the page's
        # end off instead, as the script does.
        page = page[: PROMPT_LIMIT - len(earlier)]
    return f"{_TASK}{instruction}\n\n{earlier}{_round(len(history), page)}"


def _round(number: int, shown: str) -> str:
    return f"{_head(number)}{shown}{_ASSISTANT}"


def _head(number: int) -> str:
    return f"Round {number}\n\n{_USER}"


def read_completion_prompt(text: str) -> tuple[str, list[str], str] | None:
    """Return instruction, history and page of a `completion_prompt`.

    None for other texts; a page that was cut stays cut.
    """
    if not text.startswith(_TASK):
        return None
    head = text.find(f"\n\n{_head(0)}")
    told = text[len(_TASK) : max(head, len(_TASK))]
    history: list[str] = []
    while head >= 0:
        start = head + len(f"\n\n{_head(len(history))}")
        head = text.find(f"\n\n{_head(len(history) + 1)}", start)
        shown, sign, output = text[start : head if head >= 0 else None].partition(
            _ASSISTANT
        )
        if not sign:
            return None
        if head < 0:
            return None if output else (told, history, shown)
        history.append(output)
    return None


def chat_messages(
    instruction: str, history: Sequence[str], page: str, system: str
) -> list[Message]:
    """Return the runner's conversation for chat models.

    The runner's first round does not contain the instruction; neither does this.
    """
    messages = [{"role": "system", "content": system}]
    for number, output in enumerate(history):
        shown = f"Round {number}\n{OLD_PAGE}"
        if number == 0:
            told = f"Task Instruction: {instruction}"
            shown = f"{told}\n\nRound 0\n{instruction}"
        messages.append({"role": "user", "content": shown})
        messages.append({"role": "assistant", "content": output})
    current = f"Round {len(history)}\n\n{page}"
    return [*messages, {"role": "user", "content": current}]


def read_system_prompt(path: str) -> str:
    """Return the system prompt of the runner's `p_webrl_chat.json`.

    Raises:
        NoPublishedPrompt: The message says where to get the file.
    """
    try:
        text = json.loads(Path(path).read_text(encoding="utf-8"))["intro"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoPublishedPrompt(
            "The prompt of VisualAgentBench is not part of the workbench. Name its "
            "file VAB-WebArena-Lite/new/p_webrl_chat.json with VAB_PROMPT_FILE "
            f"(now {path!r}: {type(error).__name__})."
        ) from error
    return str(text)
