"""Keeps test tasks, and tasks that resemble one, out of training.

Two instructions of one site are compared by word shingles: each word, each pair and
each triple of neighbours. Case, punctuation, invisible characters and words of
courtesy do not count. A test task's start page does not count either: the same words
from another page ask for the same thing.

`COVERED` and `ALIKE` were chosen on measured pairs (docs/experiments/leak_gate.md).
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

# A text with every word of a test task and this share of its shingles is a leak.
COVERED = 0.6
# Jaccard similarity from which a text counts as a variant of the test task.
ALIKE = 0.8
MAX_SHINGLE = 3
COURTESY = frozenset(
    "a an can could just kindly now please thanks the would you".split()
)
_HAN_OR_KANA = r"[\u3040-\u30ff\u3400-\u9fff]"
_WORD = re.compile(rf"{_HAN_OR_KANA}|(?:(?!{_HAN_OR_KANA})[^\W_])+")


@dataclasses.dataclass(frozen=True, slots=True)
class HeldOut:
    """The parts of a test task that the gate compares."""

    key: str
    site: str
    instruction: str


@dataclasses.dataclass(frozen=True, slots=True)
class _Indexed:
    task: HeldOut
    words: frozenset[str]
    size: int


class LeakGate:
    """Knows the test tasks and says which of them a text resembles."""

    def __init__(self, held_out: Iterable[HeldOut]) -> None:
        """Index the shingles of each test task."""
        self._tasks: list[_Indexed] = []
        self._index: dict[tuple[str, str], list[int]] = defaultdict(list)
        for task in held_out:
            words = split_words(task.instruction)
            parts = cut_shingles(words)
            for part in parts:
                self._index[task.site, part].append(len(self._tasks))
            self._tasks.append(_Indexed(task, frozenset(words), len(parts)))

    def find(self, site: str, instruction: str) -> HeldOut | None:
        """Return the test task of this site that the text resembles most, or None."""
        words = split_words(instruction)
        parts = cut_shingles(words)
        shared: Counter[int] = Counter()
        for part in parts:
            shared.update(self._index.get((site, part), ()))
        for number, count in shared.most_common():
            known = self._tasks[number]
            if _resembles(known, frozenset(words), count, len(parts)):
                return known.task
        return None


def split_words(instruction: str) -> list[str]:
    """Return the words that carry an instruction's meaning, in order.

    >>> split_words("Please add the “Red Mug” to the cart.")
    ['add', 'red', 'mug', 'to', 'cart']
    """
    text = unicodedata.normalize("NFKC", instruction).casefold()
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    words = _WORD.findall(visible)
    return [word for word in words if word not in COURTESY] or words or [visible]


def cut_shingles(words: list[str]) -> frozenset[str]:
    """Return each run of one to `MAX_SHINGLE` neighbouring words."""
    return frozenset(
        " ".join(words[start : start + length])
        for length in range(1, MAX_SHINGLE + 1)
        for start in range(len(words) - length + 1)
    )


def _resembles(known: _Indexed, words: frozenset[str], shared: int, size: int) -> bool:
    """Whether a text contains a test task, or is almost the same."""
    if known.words <= words:
        return shared >= COVERED * known.size
    # Other quantities, order numbers or dates make other tasks.
    same_numbers = _numbers(known.words) <= words
    return same_numbers and shared >= ALIKE * (known.size + size - shared)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(map(str.isdigit, word)))
