"""What the published runners write as the answer of a stopped episode."""

from __future__ import annotations

import pytest

from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.scoring.early_stops import early_stop_answer

LIMITS = EpisodeLimits(steps=30, repeated=3, invalid=5)
COUNTED = EpisodeLimits(typed=4)


@pytest.mark.parametrize(
    ("ended_by", "limits", "last_action", "answer"),
    [
        ("step_limit", LIMITS, "Click", "Early stop: Reach max steps 30"),
        ("invalid", LIMITS, "", "Early stop: Failed to parse actions for 5 times"),
        ("repeated", LIMITS, "Click", "Early stop: Same action for 3 times"),
        ("repeated", LIMITS, "Type", "Early stop: Same action for 3 times"),
        ("repeated", COUNTED, "Click", "Early stop: Same action for 3 times"),
        ("repeated", COUNTED, "Type", "Early stop: Same typing action for 4 times"),
        ("repeated", COUNTED, "Search", "Early stop: Same typing action for 4 times"),
        ("exit", LIMITS, "Exit", ""),
        (None, LIMITS, "Click", ""),
    ],
)
def test_a_stopped_episode_has_the_published_answer(
    ended_by: str | None, limits: EpisodeLimits, last_action: str, answer: str
) -> None:
    assert early_stop_answer(ended_by, limits, last_action=last_action) == answer
