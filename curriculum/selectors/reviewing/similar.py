"""The accepted tasks that stand beside one that is being decided.

Each task that comes up is compared with hundreds of others of its template, while
people wait. So each process remembers their words as bits of a number, and reads anew
what is accepted every few seconds.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import os
import re
import threading
from collections.abc import Iterable
from typing import Any

from django.core.cache import cache

from curriculum.models import Task
from curriculum.selectors.prepared import PreparedObjects, number

CANDIDATES = 400  # The newest accepted tasks of a template.
# How long they are taken as read; what stands beside a task is itself kept a minute.
ACCEPTED_S = 30
# At most half a MiB each.
TEMPLATES = 200
# Words of tasks that are no candidates any more are forgotten then.
MAX_WORDS = 4_000


@dataclasses.dataclass(frozen=True, slots=True)
class SimilarTask:
    """An accepted task and the share of words it has in common, 0 to 1."""

    task: Task
    similarity: float


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """What is remembered of an accepted task.

    Attributes:
        text: Its instruction.
        words: A bit for each word.
        size: How many words there are.
        names: The number of the names in it; the same names have the same.
    """

    text: str
    words: int
    size: int
    names: int


class Candidates:
    """The accepted tasks of one template, by id, newest first."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._bits: dict[str, int] = {}
        self._names: dict[frozenset[str], int] = {}
        self._found: dict[int, Candidate] = {}

    def replace(self, rows: Iterable[tuple[int, str]]) -> None:
        """Take these ids and instructions for what there was."""
        with self._lock:
            if len(self._bits) > MAX_WORDS:
                self._bits, self._names, self._found = {}, {}, {}
            before = self._found
            self._found = {
                pk: before[pk]
                if pk in before and before[pk].text == text
                # A new one, or one whose words were changed.
                else self._read(text)
                for pk, text in rows
            }

    def rank(self, text: str, limit: int) -> list[tuple[int, float]]:
        """Return ids and shares of common words of the nearest ones.

        What asks about the same names comes before what asks the same of others: the
        one is a duplicate, the other is none.
        """
        words, names = _split(text), find_names(text)
        with self._lock:
            found = self._found
            asked = sum(1 << self._bits[word] for word in words if word in self._bits)
            named = self._names.get(names)
        ranked = []
        for newness, (pk, one) in enumerate(found.items()):
            if common := (asked & one.words).bit_count():
                share = common / (len(words) + one.size - common)
                ranked.append((named != one.names, -share, newness, pk))
        return [(pk, -share) for _, share, _, pk in heapq.nsmallest(limit, ranked)]

    def _read(self, text: str) -> Candidate:
        bits, words = self._bits, _split(text)
        mask = sum(1 << bits.setdefault(word, len(bits)) for word in words)
        names = self._names.setdefault(find_names(text), len(self._names))
        return Candidate(text, mask, len(words), names)


def _split(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def find_names(text: str) -> frozenset[str]:
    """Return what an instruction is about: quoted words, names and numbers.

    >>> sorted(find_names('Where does Tina live, at "Red House" or in 7?'))
    ['7', 'Red House', 'Tina']
    """
    quoted = re.findall(r'"([^"]*)"', text)
    rest = re.sub(r'"[^"]*"', " ", text)
    # The first word of a sentence has a capital whatever it is.
    named = re.findall(r"(?<![.?!] )(?<!^)\b[A-Z]\w+", rest)
    return frozenset(quoted) | frozenset(named) | frozenset(re.findall(r"\d+", rest))


def list_similar_tasks(task: Task) -> list[SimilarTask]:
    """Return accepted tasks of the same template that share words; nearest first."""
    candidates = _remember(task.site_id, task.template_key)
    # Not a clock: whoever empties the cache wants all to be read.
    read = f"similar:{os.getpid()}:{task.site_id}:{task.template_key}"
    if cache.add(read, True, ACCEPTED_S):
        candidates.replace(_list_accepted(task.site_id, task.template_key))
    ranked = candidates.rank(task.instruction, len(PLACES) + 1)
    shares = dict([one for one in ranked if one[0] != task.pk][: len(PLACES)])
    if not shares:
        return []
    given: dict[str, Any] = dict.fromkeys(PLACES, next(iter(shares)))
    given.update(zip(PLACES, shares, strict=False))
    found = {one.pk: one for one in NEAREST.ask(**given)}
    return [SimilarTask(found[pk], shares[pk]) for pk in shares if pk in found]


@functools.lru_cache(TEMPLATES)
def _remember(site_id: int, template_key: str) -> Candidates:
    return Candidates()


# The nearest five; fewer are asked for with one of them again.
PLACES = ("first", "second", "third", "fourth", "fifth")
# Who saw a gold item called accepted here would know it when it comes.
NEAREST = PreparedObjects(
    lambda: Task.objects.filter(
        gold__isnull=True, pk__in=[number(place) for place in PLACES]
    ).only("instruction")
)


def _list_accepted(site_id: int, template_key: str) -> list[tuple[int, str]]:
    accepted = Task.objects.filter(
        site_id=site_id, status=Task.Status.ACCEPTED, template_key=template_key
    )
    texts = accepted.filter(gold__isnull=True).order_by("-id")
    return list(texts.values_list("pk", "instruction")[:CANDIDATES])
