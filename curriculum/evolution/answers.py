"""Finds JSON in a model's answer, regardless of the text around it.

Models think aloud, add a sentence and a fence, or are cut off before the end. Their
texts are untrusted: the work on one is bounded, and nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

# Brackets tried that begin no JSON; each may cost a pass over the rest.
MAX_FALSE_STARTS = 30
_DECODER = json.JSONDecoder()
_START = re.compile(r"[\[{]")
THOUGHT, THOUGHT_END = "<think>", "</think>"


def read_values(answer: str) -> Iterator[object]:
    """Yield each JSON array and object of an answer, outermost first, in order.

    Of an array that is cut off, the complete elements are given.
    """
    text, place, faults = _leave_out_thoughts(answer), 0, 0
    while faults < MAX_FALSE_STARTS and (start := _START.search(text, place)):
        try:
            value, place = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place, faults = start.end(), faults + 1
        else:
            yield value


def _leave_out_thoughts(answer: str) -> str:
    """Return the text after a block of thoughts, whose JSON is not the answer.

    Some servers leave out the opening tag. A task may mention the tag, too.
    """
    _, end, rest = answer.rpartition(THOUGHT_END)
    if end and _START.search(rest):
        return rest
    return "" if answer.lstrip().startswith(THOUGHT) else answer


def tidy(text: str) -> str:
    """Return a text on one line, without characters that no database stores."""
    return " ".join(make_storable(text).split())


def make_storable(text: str) -> str:
    """Replace the characters that no database stores."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()
