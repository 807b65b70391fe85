"""How texts are compared: normalised, by phrase, by word, by number."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from rollouts.browser.evaluators.rule_sets import RuleSet
from rollouts.browser.evaluators.types import Malformed

ALTERNATIVE = " |OR| "
TOLERANCE = 1e-8
_INEQUALITY = re.compile(r"\s*(<=|>=|==|<|>)\s*(-?\d+(?:\.\d+)?)\s*\Z")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": lambda got, wanted: got <= wanted + TOLERANCE,
    ">=": lambda got, wanted: got >= wanted - TOLERANCE,
    "==": lambda got, wanted: abs(got - wanted) <= TOLERANCE,
    "<": lambda got, wanted: got < wanted + TOLERANCE,
    ">": lambda got, wanted: got > wanted - TOLERANCE,
}


def normalise(text: str, *, strips: bool = True) -> str:
    """Drop one pair of outer quotes, lower the case; strip first where asked."""
    if strips:
        text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.lower()


def equals(reference: str, got: str, rule_set: RuleSet) -> bool:
    """Whether two texts are the same once normalised."""
    strips = rule_set.strips
    return normalise(reference, strips=strips) == normalise(got, strips=strips)


def includes(reference: str, got: str, rule_set: RuleSet, *, alone: bool) -> bool:
    """Whether a phrase is in a text.

    Args:
        reference: The phrase.
        got: The text.
        rule_set: Says which phrases must be whole words.
        alone: The phrase is the only one of its list, and the text an answer.
    """
    wanted = normalise(reference, strips=rule_set.strips)
    text = normalise(got, strips=rule_set.strips)
    if rule_set.words == "single word":
        if len(split_words(wanted)) != 1:
            return wanted in text
        words = split_words(text)
        return wanted in words or any(
            wanted in word.split("/") for word in words if "/" in word
        )
    if alone and len(wanted) == 1 and len(split_words(wanted)) == 1:
        return wanted in split_words(text)
    return wanted in text


def excludes(reference: str, got: str, rule_set: RuleSet) -> bool:
    """Whether a phrase, or a single word as a word, does not occur in a text."""
    wanted = normalise(reference, strips=rule_set.strips)
    text = normalise(got, strips=rule_set.strips)
    words = split_words(text)
    return wanted not in (words if len(split_words(wanted)) == 1 else text)


def split_words(text: str) -> list[str]:
    """NLTK's words, as in the published evaluators.

    They also let NLTK find the sentences, with a model that is downloaded; here
    a sentence ends at a full stop, exclamation or question mark before a blank.
    """
    tokenizer = _tokenizer()
    sentences = _SENTENCE_END.split(text)
    return [word for sentence in sentences for word in tokenizer(sentence)]


@functools.cache
def _tokenizer() -> Callable[[str], list[str]]:
    # NLTK takes a second to import, and most tasks need no words.
    from nltk.tokenize.destructive import NLTKWordTokenizer

    tokenize: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
    return tokenize


def read_integer(text: str) -> int | None:
    """A whole number with or without commas; None when it is none."""
    try:
        return int(text.strip().replace(",", ""))
    except ValueError:
        return None


def meets(value: float, inequality: str) -> bool:
    """Whether a number meets "<= 700" or one of several joined by " |OR| ".

    Raises:
        Malformed: It is no inequality.
    """
    return any(_meets_one(value, part) for part in inequality.split(ALTERNATIVE))


def _meets_one(value: float, inequality: str) -> bool:
    match = _INEQUALITY.match(inequality)
    if match is None:
        raise Malformed(f"not an inequality: {inequality!r}"[:200])
    return _COMPARISONS[match[1]](value, float(match[2]))
