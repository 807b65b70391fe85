"""One sentence: an English text with its code and its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from curriculum.texts.sentences.checks import CHECKS, FINDINGS
from curriculum.texts.sentences.episodes import EPISODES
from curriculum.texts.sentences.filters import FILTERS
from curriculum.texts.sentences.phases import PHASES
from curriculum.texts.sentences.serving import SERVING
from curriculum.texts.sentences.sites import SITES

# A text may be a sentence itself. A float is shown with two decimals.
Figure: TypeAlias = str | int | float
SENTENCES: Mapping[str, str] = (
    PHASES | SERVING | FILTERS | EPISODES | CHECKS | FINDINGS | SITES
)


class Sentence(str):
    """One of `SENTENCES` with its figures; as text, it is in English.

    As with any text, slices and f-strings of it are plain texts without a code.
    """

    __slots__ = ("code", "figures")

    code: str
    figures: Mapping[str, Figure]

    def __new__(cls, code: str, **figures: Figure) -> Sentence:
        """Fill the sentence of this code.

        Args:
            code: A key of `SENTENCES`.
            figures: The values of its placeholders.
        """
        shown = {
            name: f"{figure:.2f}" if isinstance(figure, float) else figure
            for name, figure in figures.items()
        }
        return cls.of_text(SENTENCES[code] % shown, code, figures)

    @classmethod
    def of_text(cls, text: str, code: str, figures: Mapping[str, Figure]) -> Sentence:
        """Return a sentence as it was stored, also one of another release."""
        self = super().__new__(cls, text)
        self.code, self.figures = code, figures
        return self

    def __str__(self) -> str:
        """Return the sentence itself, so that `str(error)` keeps its code."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy unchanged."""
        return type(self).of_text, (self[:], self.code, self.figures)

    def change(self, each: Callable[[str], str]) -> Sentence:
        """Return the sentence with its text and each text in it changed."""
        figures = {
            name: _change(figure, each) if isinstance(figure, str) else figure
            for name, figure in self.figures.items()
        }
        return self.of_text(each(self[:]), self.code, figures)


def _change(text: str, each: Callable[[str], str]) -> str:
    return text.change(each) if isinstance(text, Sentence) else each(text)


def code_of(text: str) -> dict[str, Any]:
    """Return the code and figures to store with a text; {} for a plain text."""
    if not isinstance(text, Sentence):
        return {}
    figures = {
        name: {"text": figure[:], **code_of(figure)}
        if isinstance(figure, Sentence)
        else figure
        for name, figure in text.figures.items()
    }
    return {"code": text.code, "figures": figures}


def restore(text: str, stored: Mapping[str, Any]) -> str:
    """Return a stored text as a sentence where `code_of` is stored with it."""
    code, figures = stored.get("code"), stored.get("figures")
    if not isinstance(code, str) or not isinstance(figures, Mapping):
        return text
    return Sentence.of_text(
        text, code, {str(name): _restore_figure(one) for name, one in figures.items()}
    )


def _restore_figure(stored: Any) -> Figure:
    if isinstance(stored, Mapping):
        return restore(str(stored.get("text", "")), stored)
    return stored if isinstance(stored, str | int | float) else str(stored)
