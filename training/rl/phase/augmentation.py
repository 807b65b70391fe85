"""Data augmentation: the same episode with other names and numbers.

A small model memorises hundreds of episodes, names included, and then opens the order
that it knows instead of the one that the instruction names. Here every name and number
of an instruction is replaced wherever it occurs, on pages and in actions. Then only
copying gives the right action.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from training.rl.phase.exchange import (
    asks_the_same,
    exchange_in_text,
    exchange_on_page,
    exchange_step,
)
from training.rl.types import Trajectory

EXCHANGED_SHARE = 0.7
_NAME = re.compile(r"\b(?:[A-Z][a-z]{2,}|\d+)\b")
# Not "the" and "you", which occur everywhere.
_TAG = re.compile(r"<[^>]*>")
_CAPITAL = re.compile(r"\b[A-Z][a-z]{2,}\b")
_QUOTED = re.compile(r"\b(?:[A-Z][a-z]{2,}|[a-z]{4,}|\d+)\b")


def augment(
    rng: random.Random, trajectory: Trajectory, words: Sequence[str]
) -> Trajectory:
    """Return `trajectory` with EXCHANGED_SHARE of its instruction's names replaced.

    Args:
        rng: Source of the draws.
        trajectory: A solved episode.
        words: Words with a capital letter, which replace the names; if there are
            none, only numbers are replaced.
    """
    exchange = {
        name: other_name(rng, name, words)
        for name in read_names(trajectory.instruction)
        if (words or name.isdigit()) and rng.random() < EXCHANGED_SHARE
    }
    return Trajectory(
        trajectory_id=trajectory.trajectory_id,
        task_id=trajectory.task_id,
        instruction=exchange_in_text(trajectory.instruction, exchange),
        transitions=tuple(exchange_step(t, exchange) for t in trajectory.transitions),
        final_observation=exchange_on_page(trajectory.final_observation, exchange),
        reward=trajectory.reward,
    )


def augment_all(
    trajectories: Sequence[Trajectory], copies: int, seed: int
) -> list[Trajectory]:
    """Return `copies` augmented copies of each trajectory, which the seed determines.

    A copy in which an answer asks for another action than before is left out.
    """
    words, rng = collect_words(trajectories), random.Random(seed)
    pairs = [
        (one, augment(rng, one, words)) for _ in range(copies) for one in trajectories
    ]
    return [copy for one, copy in pairs if acts_alike(one, copy)]


def acts_alike(trajectory: Trajectory, copy: Trajectory) -> bool:
    """Whether every answer that could be read asks for the same action as before."""
    pairs = zip(trajectory.transitions, copy.transitions, strict=True)
    return all(asks_the_same(one.output, other.output) for one, other in pairs)


def read_names(instruction: str) -> list[str]:
    """Return words with a capital letter, numbers, and words in quotes."""
    # The first word has a capital letter whether it is a name or not.
    _, _, rest = instruction.partition(" ")
    quoted = " ".join(re.findall(r'"([^"]*)"', instruction))
    return sorted({*_NAME.findall(rest), *_QUOTED.findall(quoted)})


def collect_words(trajectories: Iterable[Trajectory]) -> list[str]:
    """Words with a capital letter on the trajectories' pages, which may be names."""
    found: set[str] = set()
    for trajectory in trajectories:
        found.update(_CAPITAL.findall(trajectory.instruction))
        for step in trajectory.transitions:
            found.update(_CAPITAL.findall(_TAG.sub(" ", step.observation)))
    return sorted(found)


def other_name(rng: random.Random, name: str, words: Sequence[str]) -> str:
    """Return a word of `words` to replace `name`; for a number, one of equal length."""
    if not name.isdigit():
        word = rng.choice(words)
        return word.lower() if name.islower() else word
    low = 10 ** (len(name) - 1) if len(name) > 1 else 1
    return str(rng.randrange(low, 10 ** len(name)))
