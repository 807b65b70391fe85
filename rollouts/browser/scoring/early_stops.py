"""What the published runners write as the answer of an episode that they stop.

Their evaluators compare it like any other answer. Sources: `early_stop` in `run.py`
of WebArena (f62e0b9) and of VisualAgentBench's WebArena-Lite (9055fc2).
"""

from __future__ import annotations


def early_stop_answer(
    ended_by: str | None, *, steps: int, invalid: int, repeated: int
) -> str:
    """Return the answer; "" where the agent exited or nothing published applies.

    Args:
        ended_by: Why the episode ended, as an `EndedBy`.
        steps: Most steps.
        invalid: This many invalid answers in a row end an episode.
        repeated: This many equal actions in a row do.
    """
    reasons = {
        "step_limit": f"Reach max steps {steps}",
        "invalid": f"Failed to parse actions for {invalid} times",
        "repeated": f"Same action for {repeated} times",
    }
    reason = reasons.get(ended_by or "")
    return f"Early stop: {reason}" if reason else ""
