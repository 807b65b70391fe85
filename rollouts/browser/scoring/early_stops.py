"""The answer that the published runners write for an episode that they stop.

Their evaluators compare it like any other answer. Sources: `early_stop` in `run.py` of
WebArena (f62e0b9) and of VisualAgentBench's WebArena-Lite (9055fc2), which does not
count texts typed into one element.
"""

from __future__ import annotations

from rollouts.browser.episode import TYPING, EpisodeLimits


def early_stop_answer(
    ended_by: str | None, limits: EpisodeLimits, *, last_action: str = ""
) -> str:
    """Return the answer; "" where the agent exited or nothing published applies.

    Args:
        ended_by: Why the episode ended, as an `EndedBy`.
        limits: Of the episode.
        last_action: The name of its last action.
    """
    repeated = f"Same action for {limits.repeated} times"
    if limits.typed and last_action in TYPING:
        repeated = f"Same typing action for {limits.typed} times"
    reasons = {
        "step_limit": f"Reach max steps {limits.steps}",
        "invalid": f"Failed to parse actions for {limits.invalid} times",
        "repeated": repeated,
    }
    reason = reasons.get(ended_by or "")
    return f"Early stop: {reason}" if reason else ""
