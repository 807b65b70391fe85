"""How texts are compared: normalised, by phrase, by word, by number."""

from __future__ import annotations

import functools
from collections.abc import Callable

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators.rule_sets import RuleSet
from rollouts.browser.evaluators.types import Malformed

ALTERNATIVE = " |OR| "
TOLERANCE = 1e-8
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": lambda got, wanted: got <= wanted + TOLERANCE,
    ">=": lambda got, wanted: got >= wanted - TOLERANCE,
    "==": lambda got, wanted: abs(got - wanted) <= TOLERANCE,
    "<": lambda got, wanted: got < wanted + TOLERANCE,
    ">": lambda got, wanted: got > wanted - TOLERANCE,
}


def normalise(text: str, *, strips: bool = True) -> str:
    """Drop one pair of outer quotes, lower the case; strip first where asked.

    Like the published code it treats a single quote as a pair. There, answers are
    normalised twice: once as given, and again for each reference.
    """
    if strips:
        text = text.strip()
    for quote in ("'", '"'):
        if text.startswith(quote) and text.endswith(quote):
            text = text[1:-1]
            break
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
    """Whether a phrase, or a single word as a whole word, is missing from a text."""
    wanted = normalise(reference, strips=rule_set.strips)
    text = normalise(got, strips=rule_set.strips)
    words = split_words(text)
    return wanted not in (words if len(split_words(wanted)) == 1 else text)


def split_words(text: str) -> list[str]:
    """NLTK's words of Punkt's sentences: its `word_tokenize`, with no download."""
    split_sentences, tokenize = _tokenizers()
    return [word for sentence in split_sentences(text) for word in tokenize(sentence)]


@functools.cache
def _tokenizers() -> tuple[Callable[[str], list[str]], Callable[[str], list[str]]]:
    """NLTK's own code; the English model comes as a package (`punkt`).

    NLTK takes a second to import, and most tasks need no words.
    """
    import punkt
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    model, parameters = punkt.load_model("english"), PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context.update(model.ortho_context)
    sentences: Callable[[str], list[str]] = PunktSentenceTokenizer(parameters).tokenize
    words: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
    return sentences, words


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
    """Text before the sign is ignored, as in the published code."""
    sign = next((sign for sign in _COMPARISONS if sign in inequality), None)
    try:
        _, number = inequality.split(sign) if sign else ("", "")
        wanted = float(number.strip())
    except ValueError:
        told = Sentence("no_inequality", value=repr(inequality)[:180])
        raise Malformed(told) from None
    return _COMPARISONS[str(sign)](value, wanted)
