"""Data augmentation: the same episode with other names and numbers.

A small model learns hundreds of episodes by heart, names included, and then opens the
order that it knows instead of the one that it was asked for. Here every name and
number of an instruction is exchanged wherever it stands, on pages as in actions. Only
copying is then right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence

from training.rl.types import Trajectory, Transition

EXCHANGED_SHARE = 0.7
_NAME = re.compile(r"\b(?:[A-Z][a-z]{2,}|\d+)\b")
_WORD = re.compile(r"\b[A-Za-z]{3,}\b|\b\d+\b")
# Not "the" and "you", which stand everywhere.
_TAG = re.compile(r"<[^>]*>")
_CAPITAL = re.compile(r"\b[A-Z][a-z]{2,}\b")
_QUOTED = re.compile(r"\b(?:[A-Z][a-z]{2,}|[a-z]{4,}|\d+)\b")


def augment(
    rng: random.Random, trajectory: Trajectory, words: Sequence[str]
) -> Trajectory:
    """`trajectory` with EXCHANGED_SHARE of its instruction's names exchanged.

    Args:
        rng: Source of the draws.
        trajectory: A solved episode.
        words: Words with a capital letter, which take the names' places; without
            any only numbers are exchanged.
    """
    exchange = {
        name: other_name(rng, name, words)
        for name in read_names(trajectory.instruction)
        if (words or name.isdigit()) and rng.random() < EXCHANGED_SHARE
    }
    return Trajectory(
        trajectory_id=trajectory.trajectory_id,
        task_id=trajectory.task_id,
        instruction=_exchange(trajectory.instruction, exchange),
        transitions=tuple(_exchange_step(t, exchange) for t in trajectory.transitions),
        final_observation=_exchange(trajectory.final_observation, exchange),
        reward=trajectory.reward,
    )


def augment_all(
    trajectories: Sequence[Trajectory], copies: int, seed: int
) -> list[Trajectory]:
    """So many augmented copies of each trajectory; the same for the same arguments."""
    words, rng = collect_words(trajectories), random.Random(seed)
    return [augment(rng, one, words) for _ in range(copies) for one in trajectories]


def read_names(instruction: str) -> list[str]:
    """Words with a capital letter, numbers, and whatever stands in quotes."""
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


def _exchange_step(step: Transition, exchange: Mapping[str, str]) -> Transition:
    return Transition(
        step_id=step.step_id,
        history=tuple(_exchange(output, exchange) for output in step.history),
        errors=step.errors,
        observation=_exchange(step.observation, exchange),
        output=_exchange(step.output, exchange),
    )


def other_name(rng: random.Random, name: str, words: Sequence[str]) -> str:
    """A word of `words`, or a number as long, in the place of `name`."""
    if not name.isdigit():
        word = rng.choice(words)
        return word.lower() if name.islower() else word
    low = 10 ** (len(name) - 1) if len(name) > 1 else 1
    return str(rng.randrange(low, 10 ** len(name)))


def _exchange(text: str, exchange: Mapping[str, str]) -> str:
    """Whole words only, and never an element's id."""
    pieces = re.split(r'((?: id|element)="\d+")', text)
    for position in range(0, len(pieces), 2):
        pieces[position] = _WORD.sub(
            lambda match: exchange.get(match[0], match[0]), pieces[position]
        )
    return "".join(pieces)
