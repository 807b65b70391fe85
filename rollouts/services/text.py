"""Text from pages and models, made storable."""

from __future__ import annotations

from typing import Any

from curriculum.texts.sentences import Sentence

# Characters of a failure's reason that are kept.
MAX_REASON_LENGTH = 2000


def clean(text: str) -> str:
    """Drop what a database cannot store: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def clean_reason(reason: str) -> str:
    """Clean a failure's reason and cut its length; a sentence stays one."""
    if isinstance(reason, Sentence):
        return reason.change(_clean_and_cut)
    return _clean_and_cut(reason)


def _clean_and_cut(text: str) -> str:
    return clean(text)[:MAX_REASON_LENGTH]


def clean_all(value: object) -> Any:
    """Clean every text inside a JSON value."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: clean_all(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [clean_all(entry) for entry in value]
    return value
