"""JSON in a model's answer, whatever stands around it.

Models think aloud, add a sentence and a fence, or are cut off before the end. Their
texts are strangers': the work on one is bounded, and nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

# So many brackets that begin no JSON are looked at; each may cost the rest's length.
MAX_FALSE_STARTS = 30
_DECODER = json.JSONDecoder()
_START = re.compile(r"[\[{]")
THOUGHT, THOUGHT_END = "<think>", "</think>"


def read_values(answer: str) -> Iterator[object]:
    """Yield each JSON array and object of an answer, outermost first, in order.

    Of an array that is cut off, what is whole of it comes.
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
    """Return what follows a block of thoughts, whose JSON is no answer yet.

    Some servers leave out the tag that opens it. A task may speak of the tag, too.
    """
    _, end, rest = answer.rpartition(THOUGHT_END)
    if end and _START.search(rest):
        return rest
    return "" if answer.lstrip().startswith(THOUGHT) else answer


def tidy(text: str) -> str:
    """Return a text on one line, without what no database stores."""
    stored = text.replace("\x00", " ").encode("utf-8", "replace").decode()
    return " ".join(stored.split())
