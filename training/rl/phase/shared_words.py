"""Words that an instruction and the pages of its episode have in common.

"Tell me the price of the lamp" is answered by what stands beside "Price". A small model
memorises which label belongs to which kind of instruction, and is at a loss with a kind
that it has not seen. With another word in both places, only the comparison of the
instruction with the page gives the right action.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Collection, Iterable, Sequence

from training.rl.phase.exchange import list_page_texts
from training.rl.types import Trajectory

# Not "the" and "you", which occur everywhere.
_WORD = re.compile(r"\b[A-Za-z]{4,}\b")
# Each copy keeps some of them, so that their meaning is learnt as well.
SHARED_SHARE = 0.5
# Enough to find a word that is not on the pages.
TRIES = 20


def exchange_shared(
    rng: random.Random,
    trajectory: Trajectory,
    names: Collection[str],
    words: Sequence[str],
) -> dict[str, str]:
    """Return other words for SHARED_SHARE of those that instruction and pages share.

    A word's plural is replaced as well, with and without a capital letter. No new word
    occurs on the pages: two labels would be alike.

    Args:
        rng: Source of the draws.
        trajectory: An episode.
        names: Words that are replaced as names, and are no labels.
        words: Of which the new ones are drawn; where none is found the word stays.
    """
    told = _find_stems(_WORD.findall(trajectory.instruction))
    shown = _read_pages(trajectory)
    used = told | shown
    exchange: dict[str, str] = {}
    for word in sorted((told & shown) - _find_stems(names)):
        if rng.random() >= SHARED_SHARE:
            continue
        drawn = (_find_stem(rng.choice(words)) for _ in range(TRIES if words else 0))
        new = next((one for one in drawn if one not in used), None)
        if new is not None:
            used.add(new)
            exchange |= _list_forms(word, new)
    return exchange


def _list_forms(word: str, new: str) -> dict[str, str]:
    forms = {word: new, f"{word}s": f"{new}s"}
    return forms | {
        one.capitalize(): other.capitalize() for one, other in forms.items()
    }


def _read_pages(trajectory: Trajectory) -> set[str]:
    pages = {step.observation for step in trajectory.transitions}
    texts = itertools.chain(*map(list_page_texts, pages))
    return _find_stems(set(_WORD.findall(" ".join(texts))))


def _find_stems(words: Iterable[str]) -> set[str]:
    return {_find_stem(word) for word in words}


def _find_stem(word: str) -> str:
    """Return a word in small letters, and without the s of most plurals."""
    small = word.lower()
    is_plural = len(small) > 4 and small.endswith("s") and small[-2] not in "su"
    return small[:-1] if is_plural else small
