"""Demonstrations made wrong, which a reward model must distinguish from successes.

A reward model that sees only real failures learns their surface (broken words, early
exits). Here a demonstration loses its end, or gets another name in its instruction,
another answer, or the instruction of another task: only comparing instruction, actions
and last page distinguishes it from the demonstration itself.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Sequence

from training.rl.phase.augmentation import augment, other_name, read_names
from training.rl.starter.episodes import RecordedEpisode
from training.rl.starter.noisy_oracle import some_word
from training.rl.types import Trajectory

DONOR_TRIES = 8
_LABEL = re.compile(r"# Element: (.*)")
_MESSAGE = re.compile(r'message="([^"]*)"')
_NAMED = re.compile(r'"[^"]*"|\b\d+\b')
NOT_POSSIBLE = "N/A"


class HardNegatives:
    """Draws failures that differ little from a demonstration."""

    def __init__(self, shown: Sequence[RecordedEpisode], words: Sequence[str]) -> None:
        """Draw from `shown`.

        Args:
            shown: Demonstrations that end in `exit` and hold no needless step.
            words: Words that take the places of names.
        """
        self._shown, self._words = list(shown), words
        self._sites: dict[str, list[Trajectory]] = {}
        for episode in shown:
            self._sites.setdefault(_site(episode), []).append(episode.trajectory)

    def draw(self, rng: random.Random) -> Trajectory:
        """Return a demonstration that no longer satisfies its instruction."""
        episode = rng.choice(self._shown)
        shown = augment(rng, episode.trajectory, self._words)
        kind = rng.random()
        if kind < 0.3:
            return renamed(rng, shown, self._words) or cut(rng, shown)
        if kind < 0.5:
            return self._reassigned(rng, shown, _site(episode)) or cut(rng, shown)
        if kind < 0.6:
            return answered(rng, shown) or cut(rng, shown)
        return cut(rng, shown)

    def _reassigned(
        self, rng: random.Random, shown: Trajectory, site: str
    ) -> Trajectory | None:
        for _ in range(DONOR_TRIES):
            found = reassigned(shown, rng.choice(self._sites[site]))
            if found is not None:
                return found
        return None


def cut(rng: random.Random, shown: Trajectory) -> Trajectory:
    """The agent stops before it has done everything.

    An episode of one step has nothing to cut and gets a wrong answer instead.
    """
    before = len(shown.transitions) - 1
    number = rng.randrange(before) if before else 0
    stop = shown.transitions[number]
    said = [NOT_POSSIBLE, some_word(rng, stop.observation)]
    if message(shown) == NOT_POSSIBLE:
        said[0] = ""
    chosen = rng.choice(said) if rng.random() < 0.4 or not before else ""
    last = dataclasses.replace(stop, output=f'exit(message="{chosen}")')
    return dataclasses.replace(
        shown,
        transitions=(*shown.transitions[:number], last),
        final_observation=stop.observation,
        reward=0.0,
    )


def renamed(
    rng: random.Random, shown: Trajectory, words: Sequence[str]
) -> Trajectory | None:
    """Replace one name of the instruction; None if it names nothing."""
    names = read_names(shown.instruction)
    return _rename(rng, shown, names, words)


def astray(
    rng: random.Random, shown: Trajectory, number: int, words: Sequence[str]
) -> Trajectory | None:
    """`shown` under another name, one that its first `number` steps have used.

    From that step on it cannot succeed. None if those steps use no name.
    """
    done = "\n".join(step.output for step in shown.transitions[:number])
    names = [
        name
        for name in read_names(shown.instruction)
        if re.search(rf"\b{re.escape(name)}\b", done)
    ]
    return _rename(rng, shown, names, words)


def _rename(
    rng: random.Random, shown: Trajectory, names: Sequence[str], words: Sequence[str]
) -> Trajectory | None:
    if not names:
        return None
    name = rng.choice(names)
    other = other_name(rng, name, words)
    if other == name:
        return None
    # The first word stays, as in `read_names`.
    first, space, rest = shown.instruction.partition(" ")
    rest = re.sub(rf"\b{re.escape(name)}\b", other, rest)
    return dataclasses.replace(shown, instruction=first + space + rest, reward=0.0)


def reassigned(shown: Trajectory, donor: Trajectory) -> Trajectory | None:
    """`shown` under the donor's instruction with its own names.

    None if the donor's steps are among those of `shown`: then it may well do what the
    donor's instruction asks.
    """
    named = iter(_NAMED.findall(shown.instruction))
    exchange = {
        old: new
        for old, new in zip(_NAMED.findall(donor.instruction), named, strict=False)
        if old.startswith('"') == new.startswith('"')
    }
    wanted = {_swap(label, exchange) for label in _labels(donor)}
    if wanted <= _labels(shown):
        return None
    instruction = _NAMED.sub(lambda m: exchange.get(m[0], m[0]), donor.instruction)
    return dataclasses.replace(shown, instruction=instruction, reward=0.0)


def answered(rng: random.Random, shown: Trajectory) -> Trajectory | None:
    """Replace the answer; None if the task asks for none."""
    old, last = message(shown), shown.transitions[-1]
    other = some_word(rng, shown.final_observation)
    if not old or other == old:
        return None
    output = _MESSAGE.sub(lambda _: f'message="{other}"', last.output)
    last = dataclasses.replace(last, output=output)
    return dataclasses.replace(
        shown, transitions=(*shown.transitions[:-1], last), reward=0.0
    )


def message(shown: Trajectory) -> str:
    """Return the message of the agent's `exit`."""
    found = _MESSAGE.search(shown.transitions[-1].output)
    return found[1] if found else ""


def _site(episode: RecordedEpisode) -> str:
    return episode.key.partition(".")[0]


def _labels(shown: Trajectory) -> set[str]:
    return {label for t in shown.transitions for label in _LABEL.findall(t.output)}


def _swap(label: str, exchange: dict[str, str]) -> str:
    for old, new in exchange.items():
        label = label.replace(old.strip('"'), new.strip('"'))
    return label
