"""The filters of proposed instructions, one pure function each.

Order: leak, exact duplicate, near duplicate, then feasibility, then the critic's value.
A filtered task is kept with its reason; nothing is deleted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from curriculum.evolution.leaks import HeldOut, LeakGate
from curriculum.evolution.types import ProposedTask, digest_task
from curriculum.texts.sentences import Sentence

Words = frozenset[str]

# Two instructions of one site that share this much of their words, numbers and
# names included, ask for the same thing.
NEAR_DUPLICATE = 0.9
MAX_INSTRUCTION_LENGTH = 1000
_WORD = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*")


def read_words(instruction: str) -> Words:
    """Return the set of an instruction's words, lower case.

    >>> sorted(read_words("Add 'Red Mug' to the cart"))
    ['add', 'cart', 'mug', 'red', 'the', 'to']
    """
    return frozenset(_WORD.findall(instruction.lower()))


def measure_similarity(one: Words, other: Words) -> float:
    """Jaccard similarity, 0 to 1; two empty sets are equal."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def find_text_fault(instruction: str) -> str:
    """Return what is wrong with the text itself, or ""."""
    if not instruction.strip():
        return Sentence("empty_instruction")
    if len(instruction) > MAX_INSTRUCTION_LENGTH:
        return Sentence("overlong_instruction", longest=MAX_INSTRUCTION_LENGTH)
    if any(ord(letter) < 32 and letter not in "\n\t" for letter in instruction):
        return Sentence("control_characters")
    return ""


def say_leak(task: HeldOut) -> str:
    """Say which test task a text resembles."""
    return Sentence("resembles_test", key=task.key, instruction=task.instruction)


class DuplicateFilter:
    """Knows the existing tasks and says why a proposal is not new.

    Args:
        leaks: Knows the test tasks; what resembles one is left out.
        known: Digests of every other task.
        instructions: (site, instruction) of the tasks to compare word by word.
        threshold: Similarity from which two instructions are near duplicates.
    """

    def __init__(  # noqa: D107
        self,
        *,
        leaks: LeakGate,
        known: Collection[str],
        instructions: Iterable[tuple[str, str]],
        threshold: float = NEAR_DUPLICATE,
    ) -> None:
        self._leaks = leaks
        self._known = set(known)
        self._threshold = threshold
        self._words: dict[str, dict[int, list[Words]]] = {}
        for site, instruction in instructions:
            self._remember(site, read_words(instruction))

    def find_reason(self, task: ProposedTask) -> str:
        """Return why the task is not new, or "" after remembering it."""
        leak = self._leaks.find(task.site, task.instruction)
        if leak is not None:
            return say_leak(leak)
        digest = digest_task(task.instruction, task.start_url)
        if digest in self._known:
            return Sentence("same_as_known")
        words = read_words(task.instruction)
        if self._has_near(task.site, words):
            return Sentence("nearly_known")
        self._known.add(digest)
        self._remember(task.site, words)
        return ""

    def _has_near(self, site: str, words: Words) -> bool:
        """Compare only with sets of similar size: others cannot be similar enough."""
        shelves = self._words.get(site, {})
        low = int(len(words) * self._threshold)
        high = int(len(words) / self._threshold) + 1
        return any(
            measure_similarity(words, other) >= self._threshold
            and _numbers(words) == _numbers(other)
            for size in range(low, high + 1)
            for other in shelves.get(size, ())
        )

    def _remember(self, site: str, words: Words) -> None:
        self._words.setdefault(site, {}).setdefault(len(words), []).append(words)


def _numbers(words: Words) -> Words:
    """Return the words with digits: different quantities make different tasks."""
    return frozenset(word for word in words if any(map(str.isdigit, word)))


def find_value_reason(value: float, low: float, high: float) -> str:
    """Return why the critic's value excludes a task, or "" inside [low, high]."""
    if value < low:
        return Sentence("too_hard", value=f"{value:.2f}", low=f"{low:.2f}")
    if value > high:
        return Sentence("too_easy", value=f"{value:.2f}", high=f"{high:.2f}")
    return ""


def spread_over_parents(tasks: Sequence[ProposedTask]) -> list[ProposedTask]:
    """Order tasks so that each parent's first comes before any parent's second."""
    turns: dict[int, int] = {}
    numbered = []
    for place, task in enumerate(tasks):
        turn = turns.get(task.parent_id, 0)
        turns[task.parent_id] = turn + 1
        numbered.append((turn, place))
    return [tasks[place] for _, place in sorted(numbered)]
