"""The conversation that a policy reads: WebRL's format, the same for every model.

One round per past step holding only that step's action (old pages are dropped),
then the current page as simplified HTML.
"""

from __future__ import annotations

from collections.abc import Sequence

OLD_PAGE = "** Simplified html **"

Message = dict[str, str]


def build_messages(
    instruction: str,
    history: Sequence[str],
    errors: Sequence[str],
    observation: str,
) -> list[Message]:
    """Return chat messages for one step.

    Args:
        instruction: What the agent is asked to do.
        history: Outputs of the earlier steps, oldest first.
        errors: For each of them, why the action failed, or "".
        observation: Simplified HTML of the current page.
    """
    messages = [{"role": "user", "content": f"Task Instruction: {instruction}"}]
    for index, (output, error) in enumerate(zip(history, errors, strict=True)):
        if index:
            messages.append({"role": "user", "content": OLD_PAGE})
        messages.append({"role": "assistant", "content": output})
        if error:
            messages.append({"role": "user", "content": f"Error: {error}"})
    messages.append({"role": "user", "content": observation})
    return messages
