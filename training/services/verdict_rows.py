"""People's verdicts as rows to train a reward model on.

Each row is what the reward model reads (paper, section 3.2: the instruction, every
action and the last page) with the right verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rollouts.selectors.judges import list_people_say
from training.selectors.loop import read_episodes

WORDS = {True: "YES", False: "NO"}


def write_verdict_rows(
    run_id: int | None = None, *, only_overruled: bool = False
) -> Iterator[str]:
    """Yield one line of JSON for each episode on which most people agree.

    `only_overruled` keeps those on which they contradict the reward model.
    """
    said = {
        one.trajectory_id: one.is_success
        for one in list_people_say(run_id)
        if one.overrules or not only_overruled
    }
    for row in _rows(said):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _rows(said: Mapping[int, bool]) -> Iterator[dict[str, Any]]:
    for episode in read_episodes(sorted(said)):
        yield {
            "trajectory_id": episode.trajectory_id,
            "instruction": episode.instruction,
            "actions": [transition.output for transition in episode.transitions],
            "final_observation": episode.final_observation,
            "verdict": WORDS[said[episode.trajectory_id]],
        }
