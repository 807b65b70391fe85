"""Sentences that are stored in English, for programs, and read in any language.

Who writes them knows no reader. Here each is known by its places; what is none of
them, such as a browser's own words, is shown as it was written.
"""

from __future__ import annotations

import dataclasses
import functools
import re

from django.utils.translation import gettext

_PLACE = re.compile(r"%\\\((\w+)\\\)s")
# A place of this name holds another of the sentences.
NESTED = "sentence"


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    """A stored text for a reader; `is_known` where it is one of our sentences."""

    text: str
    is_known: bool


class KnownSentences:
    """A closed set of sentences; of two that fit, the one named first is meant."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = sentences

    def read(self, stored: str) -> Said:
        """Return the text in the active language, or as it stands where unknown."""
        for sentence in self.sentences:
            found = _pattern(sentence).fullmatch(stored)
            if found:
                places = {
                    name: self.say(text) if name == NESTED else text
                    for name, text in found.groupdict().items()
                }
                return Said(gettext(sentence) % places, is_known=True)
        return Said(stored, is_known=False)

    def say(self, stored: str) -> str:
        return self.read(stored).text


@functools.cache
def _pattern(sentence: str) -> re.Pattern[str]:
    """Match the sentence with anything in its places."""
    places = _PLACE.sub(r"(?P<\1>.+?)", re.escape(sentence))
    return re.compile(places, re.DOTALL)
