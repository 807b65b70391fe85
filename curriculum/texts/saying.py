"""Sentences in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext

from curriculum.texts.sentences import SENTENCES, Figure, Sentence, restore

# The keys of the text in data that are stored with a code: of events and checks.
TEXTS = ("text", "reason", "why")


def say(text: str) -> str:
    """Return a sentence in the active language, and any other text as it is."""
    if not isinstance(text, Sentence) or text.code not in SENTENCES:
        return text
    template = SENTENCES[text.code]
    shown = {name: _show(figure) for name, figure in text.figures.items()}
    try:
        return gettext(template) % shown
    except (KeyError, TypeError, ValueError):
        # Rows outlive releases: a sentence's placeholders may have changed since.
        return text


def say_stored(data: Mapping[str, Any]) -> str:
    """Return the text of an event's or a check's data in the active language."""
    text = next((str(data[name]) for name in TEXTS if data.get(name)), "")
    return say(restore(text, data))


def _show(figure: Figure) -> str | int:
    if isinstance(figure, float):
        return str(number_format(figure, 2))
    return say(figure) if isinstance(figure, str) else figure
